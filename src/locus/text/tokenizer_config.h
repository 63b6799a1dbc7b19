// tokenizer_config.json of a folder of the hub: what its makers say beside the vocabulary.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

inline constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";

// Its text; {} where there is no such file. model_max_length, which is 10^30 there to say that nothing is too
// long, is written so that it can be read: JSON has no limit for whole numbers, but its readers have.
std::string tokenizer_config_text(const std::filesystem::path& folder);

}  // namespace locus
