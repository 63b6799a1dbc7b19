// The files of a folder that belong to its tokenizer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace locus {

// The names of the files that load_tokenizer() may read in this folder, of every kind of tokenizer; their
// settings (tokenizer_config.json) are not among them.
std::vector<std::string> tokenizer_files(const std::filesystem::path& folder);

}  // namespace locus
