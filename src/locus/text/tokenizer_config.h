// tokenizer_config.json of a Hugging Face model folder: settings next to the vocabulary.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

inline constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";

// The text of the file, or {} if it does not exist. model_max_length is often the integer 10^30, which means
// no limit; it becomes 1e30 here, because JSON parsers cannot read such a large integer.
std::string tokenizer_config_text(const std::filesystem::path& folder);

}  // namespace locus
