// Reads a text file of any size in blocks that end at word boundaries: encoded one by one, they give the
// tokens of the whole file. A text without any such boundary is one block.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace locus {

// Calls f(block, bytes read so far, size of the file) in the order of the text. An empty file has no blocks.
void each_block(const std::filesystem::path& file,
                const std::function<void(std::string_view block, uint64_t done, uint64_t size)>& f,
                size_t block_size = size_t{1} << 24);

}  // namespace locus
