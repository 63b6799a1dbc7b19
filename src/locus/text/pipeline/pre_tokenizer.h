// The second step of a pipeline: cutting a text into words. Tokens never reach across two words.
#pragma once

#include <memory>

#include "locus/text/pipeline/aligned_text.h"
#include "locus/text/pipeline/json_part.h"
#include "locus/text/pipeline/parting.h"
#include "locus/text/pipeline/pattern.h"

namespace locus {

using Words = std::vector<AlignedText::Range>;  // of a text, none of them empty, in order

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  // Cuts each of the words further; may rewrite the text, and moves the words with it.
  virtual void apply(AlignedText& text, Words& words) const = 0;
  // Whether words are bytes from here on, each spelled as one character in the vocabulary.
  virtual bool gives_bytes() const { return false; }
  // How the texts it cuts fall into parts.
  virtual Parting parting() const { return {}; }
  // Whether what becomes of a word depends on nothing around it.
  virtual bool by_word() const { return false; }
};

std::unique_ptr<PreTokenizer> read_pre_tokenizer(const JsonPart& part);

// What becomes of a match between two words.
enum class Cut { removed, isolated, contiguous, with_previous, with_next };
void cut_words(const AlignedText& text, const Pattern& pattern, Cut cut, bool inverted, Words& words);
std::unique_ptr<PreTokenizer> read_metaspace(const JsonPart& part);

}  // namespace locus
