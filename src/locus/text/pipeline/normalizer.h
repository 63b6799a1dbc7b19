// The first step of a pipeline: rewrites a text, for example to lowercase or to a Unicode normal form. Keeps
// track of the source of every character.
#pragma once

#include <memory>

#include "locus/base/json_part.h"
#include "locus/text/pipeline/aligned_text.h"
#include "locus/text/pipeline/chunking.h"

namespace locus {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(AlignedText& text) const = 0;
  // Where a text may be split so that its parts are rewritten like the whole, provided that this step does
  // not change the characters at the split.
  virtual SplitPoints split_points() const { return SplitPoints::none; }
};

// Reads a normalizer by its type: one of those below, or a sequence of them.
std::unique_ptr<Normalizer> read_normalizer(const JsonPart& part);

std::unique_ptr<Normalizer> read_bert_normalizer(const JsonPart& part);
std::unique_ptr<Normalizer> read_precompiled(const JsonPart& part);
// `map` is a character map of SentencePiece (charsmap.h), and `where` begins errors.
std::unique_ptr<Normalizer> make_precompiled(std::string_view map, const std::string& where);
std::unique_ptr<Normalizer> read_rewriting(const JsonPart& part);  // Replace, Prepend, Strip, Lowercase, ..

// The Unicode normal forms.
enum class NormalForm { nfc, nfd, nfkc, nfkd };
void normalize(AlignedText& text, NormalForm form);
// The characters of a text, unchanged.
std::vector<AlignedText::Step> steps_of(std::string_view text);
// Converts every character to lowercase, which may be two characters.
void lower(AlignedText& text);
std::string lowered(std::string_view text);
// Removes the characters for which `unwanted` is true.
template <class F>
void remove_if(AlignedText& text, F&& unwanted) {
  std::vector<AlignedText::Step> kept;
  size_t removed = 0;
  bool any = false;
  for (const AlignedText::Step& step : steps_of(text.text())) {
    if (!unwanted(step.code)) {
      kept.push_back(step);
      continue;
    }
    any = true;
    if (kept.empty()) {
      ++removed;
    } else {
      --kept.back().change;
    }
  }
  if (any) text.rewrite(kept, removed);
}

}  // namespace locus
