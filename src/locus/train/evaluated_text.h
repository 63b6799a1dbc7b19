// A text to evaluate a model on: its tokens, and its size in bytes.
#pragma once

#include <filesystem>
#include <memory>

#include "locus/run/text_task.h"
#include "locus/text/token_stream.h"

namespace locus {

struct EvaluatedText {
  std::shared_ptr<const TokenStream> tokens;
  int64_t bytes = 0;

  double bits_per_byte(double loss) const;  // of the mean loss
};

// A mean loss over tokens in bits per byte of their text: tokens / bytes * loss / ln 2 (Gao et al. 2020,
// arXiv 2101.00027). It compares models with different tokenizers.
double bits_per_byte(double loss, int64_t tokens, int64_t bytes);

// The bytes of the target texts in a file of pairs, for an encoder-decoder. With data.truncate, only those
// that the task reads.
int64_t target_bytes(const TextTask& task, const std::filesystem::path& file);

// Opens a text or a token file, whose bytes are those of the decoded tokens.
EvaluatedText read_text(const TextTask& task, const std::filesystem::path& file);

}  // namespace locus
