// Reads fixed-size values out of a run of bytes and never past its end: the door for every binary file.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "locus/base/error.h"

namespace locus {

class Reader {
 public:
  // `name` says whose bytes these are in the errors: a file's path, say.
  Reader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  uint64_t offset() const { return offset_; }
  uint64_t left() const { return bytes_.size() - offset_; }

  // The next `count` bytes; `what` is the field they hold.
  std::span<const std::byte> take(uint64_t count, const char* what) {
    require(count <= left(), "{}: {} needs {} bytes at offset {}, but only {} are left", name_, what, count,
            offset_, left());
    const auto taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }

  // A little-endian number, the byte order of every format Locus reads and of every machine it runs on.
  template <class T>
  T number(const char* what) {
    static_assert(std::is_trivially_copyable_v<T> && std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  uint64_t offset_ = 0;
  std::string name_;
};

}  // namespace locus
