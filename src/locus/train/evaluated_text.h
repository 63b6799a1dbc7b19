// A text to evaluate a model on: its tokens, and its size in bytes.
#pragma once

#include <filesystem>
#include <memory>

#include "locus/text/token_stream.h"
#include "locus/train/text_task.h"

namespace locus {

struct EvaluatedText {
  std::shared_ptr<const TokenStream> tokens;
  int64_t bytes = 0;

  // The mean loss of the next token in bits per byte of the text: tokens / bytes * loss / ln 2 (Gao et al.
  // 2020, arXiv 2101.00027). It compares models with different tokenizers.
  double bits_per_byte(double loss) const;
};

// Opens a text or a token file, whose bytes are those of the decoded tokens.
EvaluatedText read_text(const TextTask& task, const std::filesystem::path& file);

}  // namespace locus
