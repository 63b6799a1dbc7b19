// SentencePiece's compiled rules: a map from short texts to their replacements, as bytes in base64
//   u32 size of the trie | the trie, a double array (Yata et al. 2007) | replacements, each ended by a NUL
// A grapheme of less than 6 bytes is looked up whole, a longer one character by character.
#include <utf8proc.h>

#include <cstring>
#include <optional>

#include "locus/base/error.h"
#include "locus/text/base64.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

// A node of the double array: whether a leaf is below it, its label, and where its children begin.
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

class Precompiled final : public Normalizer {
 public:
  Precompiled(std::string_view map, const JsonPart& part) {
    uint32_t size = 0;
    const bool fits = map.size() >= sizeof(size);
    if (fits) std::memcpy(&size, map.data(), sizeof(size));
    require(fits && size % 4 == 0 && size <= map.size() - sizeof(size) && size > 0,
            "{}: '{}.precompiled_charsmap' has {} bytes and says that its trie has {}; is it cut short?",
            part.json().where(), part.place(), map.size(), size);
    units_.resize(size / 4);
    std::memcpy(units_.data(), map.data() + sizeof(size), size);
    words_ = map.substr(sizeof(size) + size);
  }

  void apply(AlignedText& text) const override {
    const std::string_view all = text.text();
    std::vector<AlignedText::Step> steps;
    steps.reserve(all.size());
    bool any = false;
    for (size_t begin = 0; begin < all.size();) {
      const size_t end = grapheme_end(all, begin);
      if (end - begin < 6 && rewrite(all.substr(begin, end - begin), steps)) {
        any = true;
      } else {
        for (size_t i = begin; i < end;) {
          const Character character = character_at(all, i);
          if (rewrite(all.substr(i, character.length), steps)) {
            any = true;
          } else {
            steps.push_back({character.code, 0});
          }
          i += character.length;
        }
      }
      begin = end;
    }
    if (any) text.rewrite(steps);
  }

 private:
  static size_t grapheme_end(std::string_view text, size_t begin) {
    const auto code_at = [&](size_t i) { return std::max(character_at(text, i).code, 0); };
    int32_t state = 0;
    size_t i = begin;
    for (;;) {
      const int32_t code = code_at(i);
      i += character_at(text, i).length;
      if (i >= text.size() || utf8proc_grapheme_break_stateful(code, code_at(i), &state)) return i;
    }
  }

  // The replacement of the shortest beginning of `part` that has one.
  std::optional<std::string_view> find(std::string_view part) const {
    uint32_t at = Unit(units_[0]).offset();
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0) return {};
      at ^= byte;
      if (at >= units_.size() || Unit(units_[at]).label() != byte) return {};
      const Unit unit(units_[at]);
      at ^= unit.offset();
      if (!unit.has_leaf() || at >= units_.size()) continue;
      const uint32_t word = Unit(units_[at]).value();
      if (word >= words_.size()) return std::string_view();
      return std::string_view(words_).substr(word, words_.find('\0', word) - word);
    }
    return {};
  }

  bool rewrite(std::string_view part, std::vector<AlignedText::Step>& steps) const {
    const std::optional<std::string_view> word = find(part);
    if (!word) return false;
    const std::vector<AlignedText::Step> fresh = steps_of(*word);
    const auto old = static_cast<int32_t>(steps_of(part).size());
    steps.insert(steps.end(), fresh.begin(), fresh.end());
    const int32_t more = static_cast<int32_t>(fresh.size()) - old;
    for (int32_t i = 0; i < more; ++i) steps[steps.size() - 1 - static_cast<size_t>(i)].change = 1;
    if (more < 0 && !steps.empty()) steps.back().change += more;
    return true;
  }

  std::vector<uint32_t> units_;
  std::string words_;
};

}  // namespace

std::unique_ptr<Normalizer> read_precompiled(const JsonPart& part) {
  const std::optional<std::string> map = base64_decoded(part.text("precompiled_charsmap"));
  require(map.has_value(), "{}: '{}.precompiled_charsmap' is not base64", part.json().where(), part.place());
  return std::make_unique<Precompiled>(*map, part);
}

}  // namespace locus
