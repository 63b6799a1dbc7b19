#include "locus/text/pipeline/charsmap.h"

#include <algorithm>
#include <cstring>

#include "locus/base/error.h"

namespace locus {
namespace {

// A node of the double array: whether it has a leaf, its label, and the offset of its children.
class Unit {
 public:
  explicit Unit(uint32_t bits) : bits_(bits) {}
  bool has_leaf() const { return (bits_ >> 8 & 1) == 1; }
  uint32_t value() const { return bits_ & 0x7fffffffu; }
  uint32_t label() const { return bits_ & 0x800000ffu; }
  uint32_t offset() const { return bits_ >> 10 << ((bits_ & 0x200u) >> 6); }

 private:
  uint32_t bits_;
};

}  // namespace

CharsMap::CharsMap(std::string_view bytes, std::string_view what) {
  uint32_t size = 0;
  const bool fits = bytes.size() >= sizeof(size);
  if (fits) std::memcpy(&size, bytes.data(), sizeof(size));
  require(fits && size % 4 == 0 && size <= bytes.size() - sizeof(size) && size > 0,
          "{} has {} bytes, but its trie size is {}, expected a positive multiple of 4 that fits; it may be "
          "truncated",
          what, bytes.size(), size);
  units_.resize(size / 4);
  std::memcpy(units_.data(), bytes.data() + sizeof(size), size);
  words_ = bytes.substr(sizeof(size) + size);
}

template <bool first_only>
CharsMap::Found CharsMap::find(std::string_view text) const {
  Found found;
  uint32_t word = 0, at = Unit(units_[0]).offset();
  for (size_t i = 0; i < std::min(text.size(), kLongestPrefix); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || Unit(units_[at]).label() != byte) break;
    const Unit unit(units_[at]);
    at ^= unit.offset();
    if (!unit.has_leaf() || at >= units_.size()) continue;
    word = Unit(units_[at]).value();
    found.length = i + 1;
    if (first_only) break;
  }
  if (found.length > 0 && word < words_.size()) {
    found.word = std::string_view(words_).substr(word, words_.find('\0', word) - word);
  }
  return found;
}

CharsMap::Found CharsMap::shortest(std::string_view text) const { return find<true>(text); }

CharsMap::Found CharsMap::longest(std::string_view text) const { return find<false>(text); }

}  // namespace locus
