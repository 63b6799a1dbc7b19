// tokenizer_config.json of a Hugging Face model folder: settings next to the vocabulary.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

inline constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";

// The text of the file, or {} if it does not exist.
std::string tokenizer_config_text(const std::filesystem::path& folder);

}  // namespace locus
