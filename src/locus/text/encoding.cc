#include "locus/text/encoding.h"

#include <algorithm>

#include "locus/text/unicode.h"

namespace locus {

void count_in_code_points(std::string_view text, std::vector<TextSpan>& offsets) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, ascii)) return;
  std::vector<uint32_t> index(text.size() + 1);  // number of the character of each byte
  uint32_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) {
    const size_t length = character_at(text, i).length;
    std::fill_n(index.begin() + static_cast<std::ptrdiff_t>(i), length, count);
    i += length;
  }
  index.back() = count;
  for (TextSpan& span : offsets) span = {index[span.begin], index[span.end]};
}

void truncate_pair(Encoding& first, Encoding& second, size_t longest) {
  if (first.size() + second.size() <= longest) return;
  Encoding &small = first.size() > second.size() ? second : first, &large = &small == &first ? second : first;
  size_t few = small.size(), many = few > longest ? few : std::max(few, longest - few);
  if (few + many > longest) {
    few = longest / 2;
    many = few + longest % 2;
  }
  small.resize(few);
  large.resize(many);
}

}  // namespace locus
