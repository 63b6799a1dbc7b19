#include "locus/cli/token_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "locus/base/json.h"
#include "locus/text/readable.h"

namespace locus::cli {
namespace {

constexpr size_t kPiece = 1 << 16;  // bytes of output that are written together

// The text of a JSON line, in pieces: no copy of a long text is made.
void write_text(std::string_view text, const Write& write) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(begin + kPiece, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
      ++end;  // whole characters
    const std::string quoted = json::text(readable(text.substr(begin, end - begin)));
    write(std::string_view(quoted).substr(1, quoted.size() - 2));
    begin = end;
  }
}

}  // namespace

void write_json(const Tokenizer& tokenizer, std::string_view text, const Encoding& encoding,
                const Write& write) {
  write("{\"text\": \"");
  write_text(text, write);
  std::string piece = "\"";
  const auto list = [&](const char* name, const auto& items, const auto& add) {
    fmt::format_to(std::back_inserter(piece), ", \"{}\": [", name);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) piece += ", ";
      add(items[i]);
      if (piece.size() < kPiece) continue;
      write(piece);
      piece.clear();
    }
    piece += ']';
  };
  list("ids", encoding.ids, [&](int32_t id) { fmt::format_to(std::back_inserter(piece), "{}", id); });
  list("pieces", encoding.ids, [&](int32_t id) { piece += json::text(readable(tokenizer.bytes(id))); });
  list("offsets", encoding.offsets,
       [&](TextSpan span) { fmt::format_to(std::back_inserter(piece), "[{}, {}]", span.begin, span.end); });
  write(piece + "}\n");
}

}  // namespace locus::cli
