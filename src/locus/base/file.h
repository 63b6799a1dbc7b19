// Files in and out. Reading takes regular files only and never maps them: a file that shrinks meanwhile is an
// error, not a signal. Writing is atomic: readers see the old file or the new one, never a part, and a
// failure leaves the old one and no debris; nor does the end of the process, where the file system has files
// without a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace locus {

// An open file of the operating system, closed when it goes out of scope; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

// A regular file (not a directory, pipe or device) open for reading.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }  // when it was opened
  // Refuses a file that somebody wrote to since.
  void require_unchanged() const;
  // Fills `bytes` with what lies at `offset`; any number of threads may do so at once.
  void read_at(uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  uint64_t size_ = 0;
  int64_t written_ = 0;  // when, in nanoseconds
};

// A whole file of at most `limit` bytes: by default more than any vocabulary has.
std::string read_file(const std::filesystem::path& path, uint64_t limit = uint64_t{1} << 30);

// A file that appears under its name only on commit(): written without one, or beside it, then synced and
// renamed.
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
  // Gives the file the first name beside its own that `take` can have.
  void take_free_name(const std::function<bool(const char*)>& take);

  std::filesystem::path path_;
  std::string temporary_;  // its name so far; empty for none
  int descriptor_ = -1;
};

// With the folders above it; one that is there already is fine.
void make_folder(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view text);

// After a name changed, the folder itself must reach the disk, or the change may be lost with the power.
void sync_folder(const std::filesystem::path& folder);

}  // namespace locus
