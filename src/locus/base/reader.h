// Reads fixed-size values from a byte span, with bounds checks. All binary files are read through it.
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
  // `name` identifies the bytes in errors, for example a file's path.
  Reader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  uint64_t offset() const { return offset_; }
  uint64_t left() const { return bytes_.size() - offset_; }

  // The next `count` bytes. `what` names the field in errors.
  std::span<const std::byte> take(uint64_t count, const char* what) {
    require(count <= left(), Code::damaged_file, "{}: truncated: {} needs {} bytes at offset {}, got {}",
            name_, what, count, offset_, left());
    const auto taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }

  // A little-endian number. Every format and every machine that Locus supports is little-endian.
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
