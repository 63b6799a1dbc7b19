// tokenizer_config.json of a folder of the hub: what its makers say beside the vocabulary.
#pragma once

#include <filesystem>

#include "locus/checkpoint/config.h"

namespace locus {

// An empty one where there is no such file. model_max_length, which is 10^30 there to say that nothing is too
// long, is read as such: JSON has no limit for whole numbers, but its readers have.
Config read_tokenizer_config(const std::filesystem::path& folder);

}  // namespace locus
