// The second step of a pipeline: splits a text into words. No token spans two words.
#pragma once

#include <memory>

#include "locus/base/json_part.h"
#include "locus/text/pipeline/aligned_text.h"
#include "locus/text/pipeline/chunking.h"
#include "locus/text/pipeline/pattern.h"

namespace locus {

using Words = std::vector<AlignedText::Range>;  // in order, not empty

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  // Splits each of the words further. May rewrite the text, and then updates the words.
  virtual void apply(AlignedText& text, Words& words) const = 0;
  // Whether words are bytes after this step, each spelled as one character in the vocabulary.
  virtual bool gives_bytes() const { return false; }
  // How texts can be split into chunks before this step.
  virtual Chunking chunking() const { return {}; }
  // Whether the result for a word is independent of the text around it.
  virtual bool by_word() const { return false; }
};

std::unique_ptr<PreTokenizer> read_pre_tokenizer(const JsonPart& part);

// What happens to a match between two words.
enum class Cut { removed, isolated, contiguous, with_previous, with_next };
void cut_words(const AlignedText& text, const Pattern& pattern, Cut cut, bool inverted, Words& words);
std::unique_ptr<PreTokenizer> read_metaspace(const JsonPart& part);

}  // namespace locus
