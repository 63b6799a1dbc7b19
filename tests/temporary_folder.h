// A temporary folder for a test. It is removed with all its contents; if the process is killed, by the next
// run of the tests.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "locus/base/error.h"

namespace locus {

// A folder in memory, where syncing is free, for tests that write many small files. On systems without
// /dev/shm it is the normal temporary folder.
inline std::filesystem::path in_memory() {
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

inline constexpr std::string_view kTemporaryName = "locus-test-";  // the start of every name

// Also removes folders that a test made read-only.
inline void remove_temporary(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    if (entry.is_directory(error)) fs::permissions(entry.path(), fs::perms::owner_all, error);
  }
  fs::remove_all(path, error);
}

// A folder that a living process uses is locked. The lock ends with the process.
inline int lock_folder(const std::filesystem::path& path, int kind) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || ::flock(folder, kind | LOCK_NB) == 0) return folder;
  ::close(folder);
  return -1;
}

// Removes the temporary folders in `place` that killed processes left behind.
inline void remove_abandoned(const std::filesystem::path& place) {
  constexpr auto kNew = std::chrono::minutes(1);  // it may not be locked yet
  namespace fs = std::filesystem;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(place, error)) {
    if (!entry.path().filename().string().starts_with(kTemporaryName)) continue;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(error);
    const int folder = error || age < kNew ? -1 : lock_folder(entry.path(), LOCK_EX);
    if (folder < 0) continue;
    remove_temporary(entry.path());
    ::close(folder);
  }
}

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& place = std::filesystem::temp_directory_path()) {
    std::string name = place / (std::string(kTemporaryName) + "XXXXXX");
    require(::mkdtemp(name.data()) != nullptr, "cannot create the folder {}", name);
    path_ = name;
    lock_ = lock_folder(path_, LOCK_SH);
  }
  ~TemporaryFolder() {
    remove_temporary(path_);
    if (lock_ >= 0) ::close(lock_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

// Writes a file without the syncing of write_file(), which would take most of the time of a small test.
inline void put(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace locus
