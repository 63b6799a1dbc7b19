// The frame of a text: the special tokens around it, the same in training and in inference.
//   a Hugging Face model          those of its tokenizer, for example [CLS] A [SEP] B [SEP]
//   a model trained from scratch  those of its tokenizer, if it adds any; otherwise
//     A                           windows over a text
//     <s> A                       classification of a text or its words; A alone if there is no <s>
//     <s> A </s> B                classification of a pair; or A is a question and B its context
//     A </s>                      source or target of an encoder-decoder
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "locus/text/tokenizer.h"

namespace locus {

// Special tokens of models that are trained from scratch. The last one replaces masked tokens.
inline constexpr const char* kStartToken = "<s>";
inline constexpr const char* kEndToken = "</s>";
inline constexpr const char* kMaskToken = "<mask>";

// A text, or a pair of texts that the model reads together.
struct TextInput {
  std::string text;
  std::optional<std::string> second = {};
};

struct TextFrame {
  bool from_tokenizer = true;           // use the special tokens of the tokenizer, and ignore those below
  std::optional<int32_t> start = {};    // before the first text
  std::optional<int32_t> between = {};  // after the first text of a pair
  std::optional<int32_t> end = {};      // after a single text
  bool pair_segments = true;            // false: all segments are 0

  // Truncation to options.longest removes tokens of the texts and keeps the special tokens.
  Encoding read(const TextInput& input, const Tokenizer& tokenizer, EncodeOptions options) const;
};

// The special tokens around a window over a text: those of the frame of a text. A decoder reads only those
// before a text, such as a beginning-of-sequence token.
struct WindowFrame {
  std::vector<int32_t> before = {}, after = {};
  int64_t size() const { return std::ssize(before) + std::ssize(after); }
};

// The first token of each word; words are byte ranges of the (first) text. A word has no token if the
// tokenizer drops it or truncation removed it.
std::vector<std::optional<size_t>> word_tokens(const Encoding& encoding, std::span<const TextSpan> words);

}  // namespace locus
