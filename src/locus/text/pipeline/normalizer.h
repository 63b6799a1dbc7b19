// The first step of a pipeline: rewriting a text so that texts that mean the same look the same. Each keeps
// track of where every character comes from.
#pragma once

#include <memory>

#include "locus/text/pipeline/aligned_text.h"
#include "locus/text/pipeline/json_part.h"
#include "locus/text/pipeline/parting.h"

namespace locus {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(AlignedText& text) const = 0;
  // Where a text may be cut so that its parts are rewritten as the whole is, given that what stands at a cut
  // is not changed by it.
  virtual Apart apart() const { return Apart::nowhere; }
};

// Refuses to make a text so long, in bytes, that only a file made to fill the memory can want it. `where`
// begins the error.
void check_growth(const AlignedText& text, size_t size, const std::string& where);

// By its type: one of those below, or a sequence of them.
std::unique_ptr<Normalizer> read_normalizer(const JsonPart& part);

std::unique_ptr<Normalizer> read_bert_normalizer(const JsonPart& part);
std::unique_ptr<Normalizer> read_precompiled(const JsonPart& part);
std::unique_ptr<Normalizer> read_rewriting(const JsonPart& part);  // Replace, Prepend, Strip, Lowercase, ..

// Unicode's normal forms.
enum class NormalForm { nfc, nfd, nfkc, nfkd };
void normalize(AlignedText& text, NormalForm form);
// The characters of a text with nothing changed yet.
std::vector<AlignedText::Step> steps_of(std::string_view text);
// Every character as its full lower case, which may be two.
void lower(AlignedText& text);
std::string lowered(std::string_view text);
// Without the characters that `gone` says.
template <class F>
void remove_if(AlignedText& text, F&& gone) {
  std::vector<AlignedText::Step> kept;
  size_t removed = 0;
  bool any = false;
  for (const AlignedText::Step& step : steps_of(text.text())) {
    if (!gone(step.code)) {
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
