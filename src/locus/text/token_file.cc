#include "locus/text/token_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/reader.h"

namespace locus {
namespace {

constexpr std::string_view kMagic = "LOCUSTOK";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kHeader = 24, kTrailer = 8;

uint32_t width_for(int64_t vocabulary) { return vocabulary <= 0x10000 ? 2 : 4; }

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <class T>
void widen(const InputFile& file, uint64_t offset, std::span<int32_t> ids) {
  std::vector<T> narrow(ids.size());
  file.read_at(offset, std::as_writable_bytes(std::span(narrow)));
  // An id of 2^31 or more becomes negative, which is an error below.
  std::ranges::transform(narrow, ids.begin(), [](T id) { return static_cast<int32_t>(id); });
}

}  // namespace

TokenFile::TokenFile(const std::filesystem::path& path) : file_(path) {
  require(file_.size() >= kHeader + kTrailer, Code::damaged_file,
          "{} is not a token file: got {} bytes, expected at least {}", name(), file_.size(),
          kHeader + kTrailer);
  std::array<std::byte, kHeader> header;
  file_.read_at(0, header);
  Reader reader(header, name());
  const auto magic = reader.take(kMagic.size(), "the magic");
  const std::string_view found(reinterpret_cast<const char*>(magic.data()), magic.size());
  require(found == kMagic, Code::damaged_file, "{} is not a token file: it begins with {}, expected {}",
          name(), quote(found), quote(kMagic));
  const auto version = reader.number<uint32_t>("the version");
  require(version == kVersion, "{}: the version is {}, expected {}", name(), version, kVersion);
  width_ = reader.number<uint32_t>("the width");
  require(width_ == 2 || width_ == 4, "{}: the size of an id is {} bytes, expected 2 or 4", name(), width_);
  const auto vocabulary = reader.number<uint64_t>("the vocabulary");
  require(vocabulary > 0 && vocabulary <= std::numeric_limits<int32_t>::max(),
          "{}: the vocabulary has {} tokens, expected 1 to 2147483647", name(), vocabulary);
  vocabulary_ = static_cast<int32_t>(vocabulary);
  const uint64_t bytes = file_.size() - kHeader - kTrailer;
  require(bytes % width_ == 0, Code::damaged_file,
          "{}: the ids take {} bytes, expected a multiple of {}; the file may be truncated", name(), bytes,
          width_);
  uint64_t count = 0;
  file_.read_at(kHeader + bytes, std::as_writable_bytes(std::span(&count, 1)));
  require(count == bytes / width_, Code::damaged_file,
          "{}: got {} ids, expected {}, the count at its end; the file may be truncated", name(),
          bytes / width_, count);
  size_ = static_cast<int64_t>(count);
}

bool TokenFile::recognizes(const std::filesystem::path& path) {
  const InputFile file(path);
  std::array<std::byte, kMagic.size()> start;
  if (file.size() < start.size()) return false;
  file.read_at(0, start);
  return std::memcmp(start.data(), kMagic.data(), start.size()) == 0;
}

std::string TokenFile::name() const { return fmt::format("'{}'", file_.path().string()); }

void TokenFile::read(int64_t begin, std::span<int32_t> ids) const {
  const uint64_t offset = kHeader + static_cast<uint64_t>(begin) * width_;
  width_ == 2 ? widen<uint16_t>(file_, offset, ids) : widen<uint32_t>(file_, offset, ids);
  check_token_ids(ids, vocabulary_, begin, name());
}

TokenFileWriter::TokenFileWriter(const std::filesystem::path& path, int32_t vocabulary)
    : file_(path), name_(fmt::format("'{}'", path.string())), vocabulary_(vocabulary) {
  require(vocabulary > 0, "{}: the vocabulary has {} tokens, expected 1 or more", name_, vocabulary);
  file_.write(kMagic);
  file_.write(bytes_of(kVersion));
  file_.write(bytes_of(width_for(vocabulary)));
  file_.write(bytes_of(static_cast<uint64_t>(vocabulary)));
}

void TokenFileWriter::write(std::span<const int32_t> ids) {
  check_token_ids(ids, vocabulary_, size_, name_);
  size_ += static_cast<int64_t>(ids.size());
  if (width_for(vocabulary_) == 4) return file_.write(std::as_bytes(ids));
  std::vector<uint16_t> narrow(ids.size());
  std::ranges::transform(ids, narrow.begin(), [](int32_t id) { return static_cast<uint16_t>(id); });
  file_.write(std::as_bytes(std::span(narrow)));
}

void TokenFileWriter::commit() {
  file_.write(bytes_of(static_cast<uint64_t>(size_)));
  file_.commit();
}

}  // namespace locus
