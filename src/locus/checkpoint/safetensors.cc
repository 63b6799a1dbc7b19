#include "locus/checkpoint/safetensors.h"

#include <memory>

#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/base/quote.h"
#include "locus/base/reader.h"
#include "locus/checkpoint/safetensors_header.h"

namespace locus {
namespace {

// Bytes per read of one thread: large enough to hide the cost of a system call, small enough to balance
// threads.
constexpr int64_t kChunkBytes = 4 << 20;

uint64_t header_length(const InputFile& file) {
  const std::string path = file.path().string();
  std::byte length_bytes[8];
  require(file.size() >= sizeof length_bytes, Code::damaged_file,
          "'{}': the file has {} bytes, expected at least 8 for the header length", path, file.size());
  file.read_at(0, length_bytes);
  const auto length = Reader(length_bytes, path).number<uint64_t>("header length");
  if (length > kMaxHeaderBytes) {
    fail({Fault::data, Code::damaged_file, "check that it is a safetensors file"},
         "'{}': header length is {}, expected at most {}", path, length, kMaxHeaderBytes);
  }
  if (length > file.size() - sizeof length_bytes) {
    fail({Fault::data, Code::damaged_file, "the file may be truncated"},
         "'{}': header length is {}, expected at most the {} bytes that follow it", path, length,
         file.size() - sizeof length_bytes);
  }
  return length;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  const uint64_t length = header_length(file_);
  data_begin_ = sizeof(uint64_t) + length;
  {
    std::string text(length, '\0');
    file_.read_at(sizeof(uint64_t), std::as_writable_bytes(std::span(text)));
    header_ = std::make_unique<SafetensorsHeader>(parse_safetensors_header(text, path.string()));
  }
  check_safetensors_layout(*header_, file_.size() - data_begin_, path.string());
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile::~SafetensorsFile() = default;

const std::vector<TensorEntry>& SafetensorsFile::entries() const { return header_->tensors; }
const std::map<std::string, std::string>& SafetensorsFile::metadata() const { return header_->metadata; }

bool SafetensorsFile::has(std::string_view name) const {
  return header_->by_name.find(entries(), name) != nullptr;
}

const TensorEntry& SafetensorsFile::entry(std::string_view name) const {
  const TensorEntry* found = header_->by_name.find(entries(), name);
  require(found != nullptr, "'{}': tensor {} not found among its {} tensors", path().string(), quote(name),
          entries().size());
  return *found;
}

Shape SafetensorsFile::shape(std::string_view name) const {
  const TensorEntry& tensor = entry(name);
  require(tensor.sizes.size() <= Shape::kMaxRank, "'{}': tensor {}: shape has {} sizes, expected at most {}",
          path().string(), quote(name), tensor.sizes.size(), Shape::kMaxRank);
  std::vector<int64_t> sizes;
  for (const uint64_t size : tensor.sizes) {
    require(size <= uint64_t{1} << 62, "'{}': tensor {}: shape has a size of {}, expected at most 2^62",
            path().string(), quote(name), size);
    sizes.push_back(static_cast<int64_t>(size));
  }
  try {
    return Shape(sizes);
  } catch (const Error& error) {
    fail({Fault::data, error.code(), error.hint()}, "'{}': tensor {}: {}", path().string(), quote(name),
         error.message());
  }
}

DType SafetensorsFile::dtype(std::string_view name) const {
  const StoredType& type = *entry(name).type;
  require(type.dtype.has_value(),
          "'{}': tensor {}: dtype is {}, expected BOOL, U8, F16, BF16, I32, F32, F64 or I64", path().string(),
          quote(name), type.name);
  return *type.dtype;
}

double SafetensorsFile::numbers() const {
  double total = 0;
  for (const TensorEntry& entry : entries()) {
    total += static_cast<double>(entry.end - entry.begin) * 8 / entry.type->bits;
  }
  return total;
}

Tensor SafetensorsFile::read(std::string_view name) const {
  const DType stored = dtype(name);
  Tensor tensor = Tensor::empty(shape(name), stored);
  read_into(name, tensor);
  return tensor;
}

void SafetensorsFile::read_part(const TensorEntry& entry, uint64_t offset, std::span<std::byte> bytes) const {
  file_.read_at(data_begin_ + entry.begin + offset, bytes);
}

void SafetensorsFile::read_into(std::string_view name, const Tensor& destination) const {
  const TensorEntry& tensor = entry(name);
  const Shape stored = shape(name);
  require(destination.shape() == stored && destination.dtype() == dtype(name), Code::bad_shape,
          "'{}': tensor {} is {} {}, but its destination is {} {}", path().string(), quote(name),
          name_of(dtype(name)), stored, name_of(destination.dtype()), destination.shape());
  require(destination.contiguous(), Code::bad_shape,
          "'{}': tensor {}: its destination is not contiguous, expected contiguous memory", path().string(),
          quote(name));
  if (!on_host(destination.device())) {
    Tensor there = destination;
    return there.copy_from(read(name));
  }
  std::byte* memory = destination.view().data;
  parallel_for(static_cast<int64_t>(tensor.end - tensor.begin), kChunkBytes, [&](int64_t begin, int64_t end) {
    read_part(tensor, static_cast<uint64_t>(begin), std::span(memory + begin, memory + end));
  });
}

}  // namespace locus
