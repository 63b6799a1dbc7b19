// A folder in memory for the files of a fuzzer, one for every process.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

class Scratch {
 public:
  Scratch() {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return std::filesystem::path(path_) / name; }

 private:
  std::string path_ = "/dev/shm/locus-fuzz-XXXXXX";
};

// Without syncs: the files of a fuzzer need not survive.
inline void put(const std::filesystem::path& file, std::string_view bytes) {
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0 || ::write(out, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  ::close(out);
}
