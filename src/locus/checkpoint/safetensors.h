// safetensors, the file format of checkpoints:
//   u64 little-endian: N | N bytes of JSON | the tensors' bytes, one after the other
//   {"__metadata__": {"key": "text"},
//    "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
// A file is checked completely when it is opened, before memory is allocated for any tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "locus/base/file.h"
#include "locus/tensor/tensor.h"

namespace locus {

struct SafetensorsHeader;
struct StoredType;

struct TensorEntry {
  std::string name;
  const StoredType* type = nullptr;
  std::vector<uint64_t> sizes;  // as in the file: any rank, and a size of 2^64-1 next to a 0 is valid
  uint64_t begin = 0, end = 0;  // in bytes after the header
};

class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  SafetensorsFile(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  const std::filesystem::path& path() const { return file_.path(); }
  const std::vector<TensorEntry>& entries() const;  // in the order of their bytes
  const std::map<std::string, std::string>& metadata() const;
  double numbers() const;  // elements of all tensors together
  bool has(std::string_view name) const;
  const TensorEntry& entry(std::string_view name) const;

  // The shape and dtype of an entry. Throws if it has more than Shape::kMaxRank sizes or a type without a
  // DType.
  Shape shape(std::string_view name) const;
  DType dtype(std::string_view name) const;

  Tensor read(std::string_view name) const;
  // Reads into existing memory: contiguous, of the same shape and dtype.
  void read_into(std::string_view name, const Tensor& destination) const;
  void require_unchanged() const {
    file_.require_unchanged();
  }  // throws if the file changed since it was opened
  // Reads part of the bytes of an entry. Thread-safe.
  void read_part(const TensorEntry& entry, uint64_t offset, std::span<std::byte> bytes) const;

 private:
  InputFile file_;
  std::unique_ptr<SafetensorsHeader> header_;
  uint64_t data_begin_ = 0;  // file offset of the first tensor
};

using NamedTensor = std::pair<std::string, Tensor>;

// A tensor whose numbers are read when they are written, so that they need not all be in memory together.
struct TensorSource {
  std::string name;
  Shape shape{0};
  DType dtype = DType::f32;
  std::function<Tensor()> read;  // with this shape and dtype, on any device
};
std::vector<TensorSource> sources_of(const std::vector<NamedTensor>& tensors);

// Writes atomically. The bytes depend on names, values and metadata only, not on the order of `tensors`, and
// equal those of the reference writer of the format: larger element types first, then by name.
void write_safetensors(const std::filesystem::path& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata = {});
// The same. Each tensor is read once, in the order of the file, and freed when it is written.
void stream_safetensors(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                        const std::map<std::string, std::string>& metadata = {});

inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the format's limit

}  // namespace locus
