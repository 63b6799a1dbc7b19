// The texts of a file of vectors, in a file next to it (vector_writer.h).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/file.h"

namespace locus {

// vectors.npy.jsonl
std::filesystem::path texts_path(const std::filesystem::path& vectors);
// One line: {"row": 0, "text": "The dog ran.", "checksum": "5a2f..."}. `vector` holds the bytes of the row.
std::string text_line(int64_t row, std::string_view text, std::span<const std::byte> vector);

// Finds a text without reading the others. The file may be larger than memory.
class VectorTexts {
 public:
  // Throws if the number of lines is not `rows`.
  VectorTexts(const std::filesystem::path& path, int64_t rows);

  // Throws if the line does not belong to a row with these bytes. Thread-safe.
  std::string text(int64_t row, std::span<const std::byte> vector) const;

 private:
  InputFile file_;
  std::vector<uint64_t> starts_;  // of the lines, and the end of the last one
};

}  // namespace locus
