#include "locus/cli/lengths.h"

#include <fmt/format.h>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/base/trim.h"

namespace locus::cli {

std::vector<int64_t> lengths_of(std::string_view text) {
  constexpr int64_t kMost = 1 << 24;
  std::vector<int64_t> lengths;
  for (const std::string_view word : split(text, ',')) {
    const auto length = parse<int64_t>(word);
    if (!length || *length < 1 || *length > kMost) {
      fail(Fault::usage, "--lengths: got {}, expected whole numbers from 1 to {}, comma-separated",
           quote(word), kMost);
    }
    lengths.push_back(*length);
  }
  return lengths;
}

SampleProgress progress_on(ProgressLine& line) {
  return
      [&line](int64_t done, int64_t all) { line.show(fmt::format("evaluated {} of {} samples", done, all)); };
}

}  // namespace locus::cli
