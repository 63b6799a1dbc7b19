// A stream of token ids in a file, which may be larger than memory. All numbers are little-endian:
//   8 bytes   "LOCUSTOK"
//   u32       version, 1
//   u32       bytes per id: 2 or 4
//   u64       vocabulary size V; all ids are below it
//   ids       u16 or u32
//   u64       number of ids, at the end of the file to detect truncation
#pragma once

#include <cstdint>
#include <filesystem>

#include "locus/base/file.h"
#include "locus/text/token_stream.h"

namespace locus {

class TokenFile final : public TokenStream {
 public:
  explicit TokenFile(const std::filesystem::path& path);

  // Whether a file begins with the magic bytes of a token file.
  static bool recognizes(const std::filesystem::path& path);

  int64_t size() const override { return size_; }
  int32_t vocabulary() const override { return vocabulary_; }
  std::string name() const override;
  void read(int64_t begin, std::span<int32_t> ids) const override;  // checks the ids

 private:
  InputFile file_;
  int64_t size_ = 0;
  int32_t vocabulary_ = 0;
  uint32_t width_ = 0;
};

// Writes a token file piece by piece. The file appears under its name on commit().
class TokenFileWriter {
 public:
  TokenFileWriter(const std::filesystem::path& path, int32_t vocabulary);

  void write(std::span<const int32_t> ids);
  void commit();

 private:
  AtomicFile file_;
  std::string name_;
  int32_t vocabulary_;
  int64_t size_ = 0;
};

}  // namespace locus
