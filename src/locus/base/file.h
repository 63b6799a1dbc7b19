// Reads and writes files. Only regular files are read, and they are never memory-mapped: a file that shrinks
// while it is read is an error, not a signal. Writing is atomic: readers see the old file or the new one,
// never a part of it. A failure keeps the old file and leaves no temporary file. Neither does a killed
// process, if the file system supports unnamed files (O_TMPFILE).
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

// Owns a file descriptor and closes it. -1: no file.
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
  // Fails if the file was modified after it was opened.
  void require_unchanged() const;
  // Fills `bytes` from `offset`. Thread-safe.
  void read_at(uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  uint64_t size_ = 0;
  int64_t written_ = 0;  // modification time, in nanoseconds
};

// The contents of a file of at most `limit` bytes. The default, 1 GiB, exceeds any vocabulary file.
std::string read_file(const std::filesystem::path& path, uint64_t limit = uint64_t{1} << 30);

// A file that gets its name on commit(). Until then it has no name, or a temporary one in the same folder;
// then it is synced and renamed.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  // removes the file if commit() was not called
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Replaces the first bytes, for a header that is only known at the end.
  void overwrite_start(std::string_view text);
  void commit();

 private:
  // Calls `claim` with temporary names in the same folder until one is free.
  void claim_unique_name(const std::function<bool(const char*)>& claim);

  std::filesystem::path path_;
  std::string temporary_;  // temporary name; empty: the file has no name yet
  int descriptor_ = -1;
};

// Also creates its parent folders. Does nothing if the folder exists.
void make_folder(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view text);

// Call it after a rename: without it, a power failure may undo the rename.
void sync_folder(const std::filesystem::path& folder);

}  // namespace locus
