#include "locus/text/pipeline/pattern.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/pipeline/oniguruma.h"
#include "locus/text/pipeline/scanners.h"
#include "locus/text/unicode.h"
#include "locus/text/word_scanner.h"

namespace locus {
namespace {

class WordPattern final : public Pattern {
 public:
  explicit WordPattern(std::string word) : word_(std::move(word)) {}
  void find(std::string_view text, TextBudget&, std::vector<AlignedText::Range>& matches) const override {
    for (size_t i = 0; (i = text.find(word_, i)) != std::string_view::npos; i += word_.size()) {
      matches.push_back({i, i + word_.size()});
    }
  }

 private:
  std::string word_;
};

class CharacterPattern final : public Pattern {
 public:
  explicit CharacterPattern(bool (*wanted)(int32_t)) : wanted_(wanted) {}
  void find(std::string_view text, TextBudget&, std::vector<AlignedText::Range>& matches) const override {
    for (size_t i = 0; i < text.size();) {
      const Character character = character_at(text, i);
      if (wanted_(character.code)) matches.push_back({i, i + character.length});
      i += character.length;
    }
  }

 private:
  bool (*wanted_)(int32_t);
};

// The expression " {2,}" of SentencePiece vocabularies. Under PCRE2 it takes longer than all other steps.
class SpaceRuns final : public Pattern {
 public:
  void find(std::string_view text, TextBudget&, std::vector<AlignedText::Range>& matches) const override {
    for (size_t i = 0; (i = text.find("  ", i)) != std::string_view::npos;) {
      const size_t end = std::min(text.find_first_not_of(' ', i), text.size());
      matches.push_back({i, end});
      i = end;
    }
  }
};

class ScannerPattern final : public Pattern {
 public:
  explicit ScannerPattern(size_t (*end)(std::string_view, size_t)) : end_(end) {}
  void find(std::string_view text, TextBudget&, std::vector<AlignedText::Range>& matches) const override {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = end_(text, begin);
      matches.push_back({begin, end});
      begin = end;
    }
  }
  Chunking chunking() const override { return {end_, SplitPoints::anywhere}; }

 private:
  size_t (*end_)(std::string_view, size_t);
};

struct Known {
  std::string_view expression;
  size_t (*word_end)(std::string_view, size_t);
};
constexpr Known kKnown[] = {
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", word_end},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     word_end_by_threes},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     word_end_by_digits},
};

}  // namespace

std::unique_ptr<Pattern> word_pattern(std::string word) {
  return std::make_unique<WordPattern>(std::move(word));
}

std::unique_ptr<Pattern> character_pattern(bool (*wanted)(int32_t)) {
  return std::make_unique<CharacterPattern>(wanted);
}

std::unique_ptr<Pattern> scanner_pattern(size_t (*end)(std::string_view, size_t)) {
  return std::make_unique<ScannerPattern>(end);
}

std::vector<AlignedText::Range> find_to_replace(const Pattern& pattern, std::string_view text,
                                                TextBudget& budget, std::string_view where) {
  std::vector<AlignedText::Range> matches;
  pattern.find(text, budget, matches);
  require(std::ranges::none_of(matches, [](const auto& match) { return match.begin == match.end; }),
          "{}: the pattern has an empty match, expected matches of at least one character", where);
  return matches;
}

std::unique_ptr<Pattern> read_pattern(const JsonPart& part) {
  const auto read_word = [&](const std::string& word) {  // the empty word matches before every character
    return word.empty() ? regex_pattern("", part.where()) : word_pattern(word);
  };
  if (const auto plain = part.member("pattern").text()) return read_word(std::string(*plain));
  const JsonPart pattern = part.part("pattern");
  if (pattern.has("String")) return read_word(pattern.text("String"));
  if (!pattern.has("Regex")) part.refuse("pattern", "a string, {\"String\": ..} or {\"Regex\": ..}");
  const std::string expression = pattern.text("Regex");
  for (const Known& known : kKnown) {
    if (known.expression == expression) return scanner_pattern(known.word_end);
  }
  if (expression == " {2,}") return std::make_unique<SpaceRuns>();
  const std::string where = fmt::format("{}: the expression {}", pattern.where(), quote(expression));
  return regex_pattern(from_oniguruma(expression, where), where);
}

}  // namespace locus
