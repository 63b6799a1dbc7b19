#include "locus/dist/parts.h"

#include <cstring>

#include "locus/base/error.h"
#include "locus/base/reader.h"

namespace locus::dist {

std::vector<std::byte> pack(std::span<const std::string_view> parts) {
  size_t total = 0;
  for (const std::string_view part : parts) total += sizeof(uint64_t) + part.size();
  std::vector<std::byte> bytes;
  bytes.reserve(total);
  for (const std::string_view part : parts) {
    const uint64_t size = part.size();
    const ConstBytes head = std::as_bytes(std::span(&size, 1)), body = std::as_bytes(std::span(part));
    bytes.insert(bytes.end(), head.begin(), head.end());
    bytes.insert(bytes.end(), body.begin(), body.end());
  }
  return bytes;
}

std::vector<std::byte> pack(std::initializer_list<std::string_view> parts) {
  return pack(std::span(parts.begin(), parts.size()));
}

std::vector<std::string_view> unpack(ConstBytes bytes, const char* what) {
  std::vector<std::string_view> parts;
  for (Reader reader(bytes, what); reader.left() > 0;) {
    parts.push_back(text_of(reader.take(reader.number<uint64_t>("size"), "part")));
  }
  return parts;
}

std::vector<std::string_view> unpack(ConstBytes bytes, size_t count, const char* what) {
  std::vector<std::string_view> parts = unpack(bytes, what);
  require(parts.size() == count, Code::damaged_file, "{}: got {} parts, expected {}", what, parts.size(),
          count);
  return parts;
}

}  // namespace locus::dist
