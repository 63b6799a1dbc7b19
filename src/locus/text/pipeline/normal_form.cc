// The Unicode normal forms (Unicode Standard Annex 15), character by character, so that each result knows its
// source characters: decomposition, canonical order of combining marks, and composition for NFC and NFKC.
#include <utf8proc.h>

#include <algorithm>

#include "locus/text/pipeline/normalizer.h"
#include "locus/text/pipeline/unicode_age.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

using Step = AlignedText::Step;

int combining_class(int32_t code) {
  if (code < 0x300 || added_since_unicode_10(code)) return 0;
  return utf8proc_get_property(code)->combining_class;
}

void decompose(int32_t code, bool compatible, std::vector<Step>& steps) {
  if (code < 0x80 || added_since_unicode_10(code)) return steps.push_back({code, 0});
  constexpr int kLongest = 32;  // the longest decomposition has 18
  int32_t parts[kLongest];
  int boundary = 0;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  const auto count = utf8proc_decompose_char(code, parts, kLongest, options, &boundary);
  if (count <= 0) return steps.push_back({code, 0});
  for (int i = 0; i < count; ++i) steps.push_back({parts[i], i == 0 ? 0 : 1});
}

void order_marks(std::vector<Step>& steps) {
  for (auto i = steps.begin(); i != steps.end();) {
    if (combining_class(i->code) == 0) {
      ++i;
      continue;
    }
    const auto end =
        std::find_if(i, steps.end(), [](const Step& step) { return combining_class(step.code) == 0; });
    std::stable_sort(i, end, [](const Step& a, const Step& b) {
      return combining_class(a.code) < combining_class(b.code);
    });
    i = end;
  }
}

// The composition of two characters, or 0 if there is none. UTF8PROC_STABLE applies the composition
// exclusions of Unicode, such as Devanagari letters with nukta.
int32_t composed(int32_t left, int32_t right) {
  if (added_since_unicode_10(left) || added_since_unicode_10(right)) return 0;
  int32_t pair[2] = {left, right};
  const auto count =
      utf8proc_normalize_utf32(pair, 2, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  return count == 1 && pair[0] != left ? pair[0] : 0;
}

class Composer {
 public:
  void take(Step step) {
    const int own = combining_class(step.code);
    if (starter_ == kNone) {
      if (own == 0) starter_ = out_.size();
      out_.push_back(step);
      last_ = 0;
      return;
    }
    // Blocked: a mark with a class that is not lower, or a starter after marks, is in between.
    const bool blocked = last_ != 0 && last_ >= own;
    const int32_t whole = blocked ? 0 : composed(out_[starter_].code, step.code);
    if (whole != 0) {
      out_[starter_] = {whole, out_[starter_].change + step.change - 1};
      return;
    }
    if (own == 0) starter_ = out_.size();
    last_ = own;
    out_.push_back(step);
  }
  const std::vector<Step>& steps() const { return out_; }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<Step> out_;
  size_t starter_ = kNone;
  int last_ = 0;  // class of the character after the starter; 0: none
};

}  // namespace

std::vector<Step> steps_of(std::string_view text) {
  std::vector<Step> steps;
  steps.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    steps.push_back({character.code == Character::kNoCode ? 0xfffd : character.code, 0});
    i += character.length;
  }
  return steps;
}

void normalize(AlignedText& text, NormalForm form) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text.text(), ascii)) return;
  const bool compatible = form == NormalForm::nfkc || form == NormalForm::nfkd;
  std::vector<Step> steps;
  steps.reserve(text.text().size());
  for (const Step& step : steps_of(text.text())) decompose(step.code, compatible, steps);
  order_marks(steps);
  if (form == NormalForm::nfd || form == NormalForm::nfkd) return text.rewrite(steps);
  Composer composer;
  for (const Step& step : steps) composer.take(step);
  text.rewrite(composer.steps());
}

}  // namespace locus
