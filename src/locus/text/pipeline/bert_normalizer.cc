// The normalizer of BERT: removes control characters, turns whitespace into spaces, adds spaces around
// Chinese characters, removes accents, and lowercases.
#include <utf8proc.h>

#include <algorithm>

#include "locus/text/pipeline/normalizer.h"
#include "locus/text/pipeline/unicode_age.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

bool is_blank(int32_t code) {
  return code == '\t' || code == '\n' || code == '\r' ||
         class_of({.code = code, .length = 1}) == CharacterClass::space;
}

bool is_dropped(int32_t code) {
  if (code == 0 || code == 0xfffd) return true;
  if (code == '\t' || code == '\n' || code == '\r') return false;
  const auto category = utf8proc_category(code);
  if (category == UTF8PROC_CATEGORY_CF) return !added_since_unicode_9(code);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CO;
}

// The Unicode blocks that BERT treats as Chinese.
bool is_chinese(int32_t code) {
  static constexpr int32_t kBlocks[][2] = {{0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},
                                           {0x20000, 0x2a6df}, {0x2a700, 0x2b81f}, {0x2b920, 0x2ceaf},
                                           {0x2f800, 0x2fa1f}};
  return code >= 0x3400 &&
         std::ranges::any_of(kBlocks, [&](const auto& b) { return b[0] <= code && code <= b[1]; });
}

// A nonspacing mark; U+1734 was one in Unicode 8.
bool is_accent(int32_t code) {
  if (code < 0x300) return false;
  return code == 0x1734 || (utf8proc_category(code) == UTF8PROC_CATEGORY_MN && !added_since_unicode_9(code));
}

void clean(AlignedText& text) {
  remove_if(text, is_dropped);
  std::vector<AlignedText::Step> steps = steps_of(text.text());
  bool any = false;
  for (AlignedText::Step& step : steps) {
    if (step.code == ' ' || !is_blank(step.code)) continue;
    step.code = ' ';
    any = true;
  }
  if (any) text.rewrite(steps);
}

void space_chinese(AlignedText& text) {
  std::vector<AlignedText::Step> spaced;
  bool any = false;
  for (const AlignedText::Step& step : steps_of(text.text())) {
    if (!is_chinese(step.code)) {
      spaced.push_back(step);
      continue;
    }
    any = true;
    spaced.insert(spaced.end(), {{' ', 0}, {step.code, 1}, {' ', 1}});
  }
  if (any) text.rewrite(spaced);
}

class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const JsonPart& part)
      : clean_(part.flag("clean_text", true)),
        chinese_(part.flag("handle_chinese_chars", true)),
        lower_(part.flag("lowercase", true)),
        accents_(part.flag("strip_accents", lower_)) {}

  void apply(AlignedText& text) const override {
    if (clean_) clean(text);
    if (chinese_) space_chinese(text);
    if (accents_) {
      normalize(text, NormalForm::nfd);
      remove_if(text, is_accent);
    }
    if (lower_) lower(text);
  }
  SplitPoints split_points() const override { return SplitPoints::before_ascii; }

 private:
  bool clean_, chinese_, lower_, accents_;
};

}  // namespace

std::unique_ptr<Normalizer> read_bert_normalizer(const JsonPart& part) {
  return std::make_unique<BertNormalizer>(part);
}

}  // namespace locus
