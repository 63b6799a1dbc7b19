// The small normalizers: replace a pattern, prepend a word, lowercase, strip accents, strip whitespace at the
// ends.
#include <utf8proc.h>

#include "locus/text/pipeline/normalizer.h"
#include "locus/text/pipeline/pattern.h"
#include "locus/text/pipeline/unicode_age.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

bool is_mark(int32_t code) {
  if (code < 0x300 || added_since_unicode_10(code)) return false;
  const auto category = utf8proc_category(code);
  return (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME) || code == 0x1cf2 ||
         code == 0x1cf3;  // these two were marks in Unicode 9
}

// A normalizer that is one function.
template <class F>
class Rewriting final : public Normalizer {
 public:
  Rewriting(SplitPoints points, F function) : split_points_(points), function_(std::move(function)) {}
  void apply(AlignedText& text) const override { function_(text); }
  SplitPoints split_points() const override { return split_points_; }

 private:
  SplitPoints split_points_;
  F function_;
};

template <class F>
std::unique_ptr<Normalizer> rewriting(SplitPoints points, F function) {
  return std::make_unique<Rewriting<F>>(points, std::move(function));
}

// Replacing a word without an inner space, or runs of spaces, never matches across a split at spaces.
SplitPoints split_points_of(std::string_view word) {
  return word.find(' ', 1) == std::string_view::npos ? SplitPoints::at_spaces : SplitPoints::none;
}
SplitPoints split_points_of(const JsonPart& part) {
  if (part.member("pattern").is_text()) return split_points_of(part.text("pattern"));
  const JsonPart pattern = part.part("pattern");
  if (!pattern.has("Regex")) return split_points_of(pattern.text("String"));
  return pattern.text("Regex") == " {2,}" ? SplitPoints::at_spaces : SplitPoints::none;
}

std::unique_ptr<Normalizer> replacing(const JsonPart& part) {
  return rewriting(split_points_of(part),
                   [pattern = std::shared_ptr<const Pattern>(read_pattern(part)), word = part.text("content"),
                    where = part.where()](AlignedText& text) {
                     const std::vector<AlignedText::Range> matches =
                         find_to_replace(*pattern, text.text(), text.budget(), where);
                     text.budget().check(matches.size() * word.size(), where);
                     text.replace(matches, word);
                   });
}

void strip(AlignedText& text, bool left, bool right) {
  const std::string_view all = text.text();
  const auto blank = [](int32_t code) {
    return class_of({.code = code, .length = 1}) == CharacterClass::space;
  };
  if (all.empty() || ((!left || !blank(character_at(all, 0).code)) &&
                      (!right || !blank(character_before(all, all.size()).code)))) {
    return;
  }
  std::vector<AlignedText::Step> steps = steps_of(all);
  size_t first = 0, last = steps.size();
  while (left && first < last && blank(steps[first].code)) ++first;
  while (right && last > first && blank(steps[last - 1].code)) --last;
  text.rewrite(std::span(steps).subspan(first, last - first), first);
}

}  // namespace

void lower(AlignedText& text) {
  constexpr int32_t kCapitalDottedI = 0x130,
                    kDotAbove = 0x307;  // its lowercase is i and a combining dot above
  std::vector<AlignedText::Step> steps;
  steps.reserve(text.text().size());
  bool any = false;
  for (const AlignedText::Step& step : steps_of(text.text())) {
    const int32_t small = utf8proc_tolower(step.code);
    any = any || small != step.code;
    steps.push_back({small, 0});
    if (step.code == kCapitalDottedI) steps.push_back({kDotAbove, 1});
  }
  if (any) text.rewrite(steps);
}

std::string lowered(std::string_view text) {
  AlignedText small(text, 0, text.size());
  lower(small);
  return std::string(small.text());
}

std::unique_ptr<Normalizer> read_rewriting(const JsonPart& part) {
  const std::string type = part.type();
  if (type == "Replace") return replacing(part);
  if (type == "Prepend") {
    return rewriting(SplitPoints::none,
                     [word = part.text("prepend"), where = part.where()](AlignedText& text) {
                       text.budget().check(text.text().size() + word.size(), where);
                       text.prepend(word);
                     });
  }
  if (type == "Lowercase") return rewriting(SplitPoints::at_spaces, lower);
  if (type == "StripAccents")
    return rewriting(SplitPoints::at_spaces, [](AlignedText& text) { remove_if(text, is_mark); });
  if (type == "Strip") {
    return rewriting(SplitPoints::at_spaces,
                     [left = part.flag("strip_left", true), right = part.flag("strip_right", true)](
                         AlignedText& text) { strip(text, left, right); });
  }
  return nullptr;
}

}  // namespace locus
