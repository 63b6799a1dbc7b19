// How a task reads texts: the special tokens around them (text/text_frame.h), padding and masks.
#pragma once

#include <cstdint>
#include <vector>

#include "locus/run/text_task.h"
#include "locus/text/text_frame.h"

namespace locus {

TextFrame frame_of(const TextTask& task);
WindowFrame window_frame_of(const TextTask& task);

// The token that ends every target of an encoder-decoder.
int32_t end_token(const TextTask& task);
// The tokens that end a generated text: that token, or for a decoder the special tokens </s> and
// <|endoftext|>.
std::vector<int32_t> end_tokens(const TextTask& task);

// The mask token: the one that the task names; else [MASK] as in BERT if the tokenizer has it, otherwise
// <mask>.
int32_t mask_token(const TextTask& task);

// For a decoder that classifies: drops padding tokens at the end of a text, which have no influence in
// transformers. One token remains.
void drop_padding(Encoding& encoding, const TextTask& task);

}  // namespace locus
