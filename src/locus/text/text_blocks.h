// A text file of any size, in blocks that have the same words apart as together: encoded one by one they give
// the tokens of the whole. A text without any place to cut is one block.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace locus {

// Calls f(block, bytes so far, bytes in all) in the order of the text; an empty file has no blocks.
void each_block(const std::filesystem::path& file,
                const std::function<void(std::string_view block, uint64_t done, uint64_t size)>& f,
                size_t block_size = size_t{1} << 24);

}  // namespace locus
