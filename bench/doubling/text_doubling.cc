// text_doubling MEGABYTES FOLDER...: checks that encoding time doubles when a text doubles. For every
// tokenizer and every text (one unit repeated), it prints the CPU time for MEGABYTES divided by the time for
// half of that, each the minimum of three runs. The goal is at most 2.3.
#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <ctime>

#include "locus/base/error.h"
#include "locus/text/tokenizer.h"

namespace {

double seconds(const locus::Tokenizer& tokenizer, const std::string& unit, size_t bytes, bool offsets) {
  std::string text;
  while (text.size() < bytes) text += unit;
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    offsets ? static_cast<void>(tokenizer.encoding(text)) : static_cast<void>(tokenizer.encode(text));
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) try {
  constexpr std::pair<const char*, const char*> kUnits[] = {
      {"letters", "a"},     {"spaces", " "},       {"newlines", "\n"},    {"carets", "^"},
      {"Chinese", "狗"},    {"accents", "\u0301"}, {"not UTF-8", "\xff"}, {"words", "the dog "},
      {"apostrophes", "'"}, {"digits", "1"}};
  const size_t bytes = argc > 1 ? static_cast<size_t>(std::atof(argv[1]) * 1e6) : 0;
  if (bytes == 0) locus::fail(locus::Fault::usage, "invalid arguments: expected MEGABYTES FOLDER...");
#ifdef __GLIBC__
  // The same kind of memory for both lengths. malloc keeps blocks up to 32 MB for reuse, but maps larger ones
  // fresh from the system, which clears them page by page. That time does not belong to the tokenizer.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
  double worst = 0;
  for (int i = 2; i < argc; ++i) {
    const auto tokenizer = locus::load_tokenizer(argv[i]);
    for (const auto& [name, unit] : kUnits) {
      for (const bool offsets : {false, true}) {
        const double one = seconds(*tokenizer, unit, bytes / 2, offsets);
        const double two = seconds(*tokenizer, unit, bytes, offsets);
        fmt::print("{:<24} {:<12} {:<8} {:>7.1f} ms {:>7.1f} ms {:>6.2f}\n", argv[i], name,
                   offsets ? "offsets" : "ids", 1e3 * one, 1e3 * two, two / one);
        worst = std::max(worst, two / one);
      }
    }
  }
  fmt::print("largest ratio {:.2f}\n", worst);
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(error.fault());
}
