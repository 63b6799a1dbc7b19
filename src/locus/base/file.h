// Whole files in and out. Writing is atomic: readers see the old file or the new one, never a part, and a
// failure leaves the old one and no debris.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace locus {

// Reads a regular file (not a directory, pipe or device) of at most `limit` bytes.
std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t limit = uint64_t{1} << 40);

// A file that appears under its name only on commit(): written beside it, synced, renamed.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  // without commit() the half-written file is removed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path path_;
  std::string temporary_;
  int descriptor_ = -1;
};

void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace locus
