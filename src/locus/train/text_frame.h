// What stands around a text that a model reads, in training and wherever the model is applied:
//   in windows over a text        nothing
//   of a model of the hub         what its vocabulary puts there, as in [CLS] A [SEP] B [SEP]
//   of a model made here          the same, if the vocabulary puts something there; and else
//     <s> A                       where A has labels; A alone if there is no <s>
//     <s> A </s> B                where both have one, or A is a question, and B its context
//     A </s>                      where A is read, or written, by an encoder-decoder
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "locus/text/tokenizer.h"
#include "locus/train/text_task.h"

namespace locus {

// Special tokens of models that are made here. The last one hides others.
inline constexpr const char* kStartToken = "<s>";
inline constexpr const char* kEndToken = "</s>";
inline constexpr const char* kMaskToken = "<mask>";

// A text, or two that are read together.
struct TextInput {
  std::string text;
  std::optional<std::string> second = {};
};

struct TextFrame {
  bool own = true;                      // what the vocabulary puts there, be it nothing; without it these:
  std::optional<int32_t> start = {};    // before the first text
  std::optional<int32_t> between = {};  // behind it, where a second one follows
  std::optional<int32_t> end = {};      // behind it, where none does

  // Cut to options.longest, the texts lose tokens, and those around them stay.
  Encoding read(const TextInput& input, const Tokenizer& tokenizer, EncodeOptions options) const;
};

TextFrame frame_of(const TextTask& task);

// The token behind everything that an encoder-decoder learns to write.
int32_t end_token(const TextTask& task);

// The token that each word, as its bytes in the (first) text, begins in. One that the tokenizer passes over,
// or that was cut off, has none.
std::vector<std::optional<size_t>> word_tokens(const Encoding& encoding, std::span<const TextSpan> words);

}  // namespace locus
