// A file in memory that has a path. One descriptor serves all files of a process, which are made one after
// the other.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) {
    if (::ftruncate(descriptor(), 0) != 0) std::abort();
    if (::pwrite(descriptor(), data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor()); }

 private:
  static int descriptor() {
    static const int made = ::memfd_create("fuzz", 0);
    return made;
  }
};
