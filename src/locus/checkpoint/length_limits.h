// The limits on the length of a text that a model folder has besides config.json: those of the tokenizer, of
// generation and of sentence-transformers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace locus {

struct FileChange {
  std::string file, what;
};

// Raises every limit below `to` tokens, for a model whose context grows from `from` tokens. Missing limits
// stay missing. Returns what changed.
std::vector<FileChange> raise_length_limits(const std::filesystem::path& folder, int64_t from, int64_t to);

}  // namespace locus
