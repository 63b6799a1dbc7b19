// The part of tools/parity_tokenizers.py that runs Locus. token_lines FOLDER FILE [--read-specials] prints
// {"ids", "offsets", "decoded"} for every line of the file, with special tokens and with offsets in code
// points. It also checks that encoding without offsets, which is implemented differently, gives the same ids.
#include <fmt/ranges.h>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/text/text_lines.h"
#include "locus/text/tokenizer.h"

namespace {

using namespace locus;

std::string described(const Tokenizer& tokenizer, std::string_view line, Specials specials) {
  const Encoding encoding = tokenizer.encoding(line, {.specials = specials});
  const Encoding alone = tokenizer.encoding(line, {.specials = specials, .unit = OffsetUnit::none});
  require(alone.ids == encoding.ids, "ids alone differ from those with offsets: {}", line);
  std::string offsets;
  for (const auto& [begin, end] : encoding.offsets) {
    offsets += fmt::format("{}[{},{}]", offsets.empty() ? "" : ",", begin, end);
  }
  return fmt::format(R"({{"ids":[{}],"offsets":[{}],"decoded":{}}})", fmt::join(encoding.ids, ","), offsets,
                     json::text(tokenizer.decode_text(encoding.ids)));
}

}  // namespace

int main(int argc, char** argv) try {
  const Specials specials =
      argc == 4 && std::string_view(argv[3]) == "--read-specials" ? Specials::are_tokens : Specials::are_text;
  if (argc < 3) fail(Fault::usage, "expected FOLDER FILE [--read-specials]");
  const auto tokenizer = load_tokenizer(argv[1]);
  const std::string text = read_file(argv[2]);
  TextLines lines(text);
  for (std::string_view line; lines.next(line);) fmt::print("{}\n", described(*tokenizer, line, specials));
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "token_lines: {}\n", error.what());
  return static_cast<int>(error.fault());
}
