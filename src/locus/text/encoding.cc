#include "locus/text/encoding.h"

#include <algorithm>

#include "locus/text/unicode.h"

namespace locus {

namespace {

// Numbers of the characters of a text, at bytes that mostly grow from call to call. Every few hundred bytes
// the number is known, so that an earlier byte is not searched from the start.
class CharacterNumbers {
 public:
  explicit CharacterNumbers(std::string_view text) : text_(text) {}

  // The number of characters before the one that contains this byte.
  uint32_t at(size_t byte) {
    if (byte < here_.byte) {
      size_t stretch = std::min(byte / kBetween, known_.size() - 1);
      while (known_[stretch].byte > byte) --stretch;  // inside a character that began in the stretch before
      here_ = known_[stretch];
    }
    for (size_t next = 0; here_.byte < byte; here_ = {next, here_.number + 1}) {
      next = here_.byte + character_at(text_, here_.byte).length;
      if (next > byte) break;
      if (next / kBetween == known_.size()) known_.push_back({next, here_.number + 1});
    }
    return here_.number;
  }

 private:
  static constexpr size_t kBetween = 256;
  struct Place {
    size_t byte = 0;
    uint32_t number = 0;
  };
  std::string_view text_;
  Place here_;
  std::vector<Place> known_ = {Place()};  // the first character that begins in each stretch of kBetween bytes
};

}  // namespace

void count_in_code_points(std::string_view text, std::vector<TextSpan>& offsets) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, ascii)) return;
  CharacterNumbers begins(text), ends(text);
  for (TextSpan& span : offsets) span = {begins.at(span.begin), ends.at(span.end)};
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
