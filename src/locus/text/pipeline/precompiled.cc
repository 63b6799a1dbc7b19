// The compiled rules of SentencePiece, as Hugging Face tokenizers applies them: a grapheme of less than 6
// bytes is looked up as a whole, a longer one character by character, and the shortest prefix with a rule is
// replaced.
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>

#include "locus/base/error.h"
#include "locus/text/base64.h"
#include "locus/text/pipeline/charsmap.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

class Precompiled final : public Normalizer {
 public:
  Precompiled(CharsMap rules, std::string where) : rules_(std::move(rules)), where_(std::move(where)) {
    for (char c = '\1'; c < 0x7f; ++c) {
      plain_[static_cast<size_t>(c)] = c != '\r' && rules_.shortest({&c, 1}).length == 0;
    }
  }

  void apply(AlignedText& text) const override {
    const std::string_view all = text.text();
    if (std::ranges::all_of(all, [&](char c) { return plain_[static_cast<unsigned char>(c)]; })) return;
    std::vector<AlignedText::Step> steps;
    steps.reserve(all.size());
    bool any = false;
    size_t written = 0;  // bytes of the replacements
    const auto rewrite = [&](std::string_view part) {
      const CharsMap::Found found = rules_.shortest(part);
      if (found.length == 0) return false;
      text.budget().check(written += found.word.size(), where_);
      append(part, found.word, steps);
      return any = true;
    };
    for (size_t begin = 0; begin < all.size();) {
      const size_t end = grapheme_end(all, begin);
      if (end - begin < 6 && rewrite(all.substr(begin, end - begin))) {
        begin = end;
        continue;
      }
      while (begin < end) {
        const Character character = character_at(all, begin);
        if (!rewrite(all.substr(begin, character.length))) steps.push_back({character.code, 0});
        begin += character.length;
      }
    }
    if (any) text.rewrite(steps);
  }
  SplitPoints split_points() const override { return SplitPoints::at_spaces; }

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

  // Replaces a part of the text by a word.
  static void append(std::string_view part, std::string_view word, std::vector<AlignedText::Step>& steps) {
    const std::vector<AlignedText::Step> fresh = steps_of(word);
    const auto old = static_cast<int32_t>(steps_of(part).size());
    steps.insert(steps.end(), fresh.begin(), fresh.end());
    const int32_t more = static_cast<int32_t>(fresh.size()) - old;
    for (int32_t i = 0; i < more; ++i) steps[steps.size() - 1 - static_cast<size_t>(i)].change = 1;
    if (more < 0 && !steps.empty()) steps.back().change += more;
  }

  CharsMap rules_;
  std::string where_;
  std::array<bool, 256> plain_{};  // ASCII without a rule; except \r, each is its own grapheme
};

}  // namespace

std::unique_ptr<Normalizer> make_precompiled(std::string_view map, const std::string& where) {
  return std::make_unique<Precompiled>(CharsMap(map, where), where);
}

std::unique_ptr<Normalizer> read_precompiled(const JsonPart& part) {
  const std::optional<std::string> map = base64_decoded(part.text("precompiled_charsmap"));
  require(map.has_value(), "{}: '{}.precompiled_charsmap' is not valid base64", part.json().where(),
          part.place());
  return std::make_unique<Precompiled>(
      CharsMap(*map, fmt::format("{}: '{}.precompiled_charsmap'", part.json().where(), part.place())),
      part.where());
}

}  // namespace locus
