#include "locus/apply/vector_writer.h"

#include "locus/apply/vector_file.h"
#include "locus/apply/vector_texts.h"
#include "locus/base/checked.h"
#include "locus/base/error.h"

namespace locus {
namespace {

// The header of a .safetensors file with one tensor. It has the same size for any number of rows.
std::string one_tensor_header(int64_t rows, int64_t width) {
  constexpr size_t kHeader = 128;
  const auto bytes =
      checked_multiply(checked_multiply(rows, width, "numbers"), int64_t{sizeof(float)}, "bytes");
  std::string text = fmt::format(R"({{"{}":{{"dtype":"F32","shape":[{},{}],"data_offsets":[0,{}]}}}})",
                                 kEmbeddings, rows, width, bytes);
  text.append(kHeader - text.size(), ' ');
  const uint64_t length = kHeader;
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

}  // namespace

VectorWriter::VectorWriter(const std::filesystem::path& path, int64_t width)
    : npy_(path.extension() == ".npy"), width_(width), vectors_(path), texts_(texts_path(path)) {
  require(width > 0, "vectors of {} numbers, expected at least 1", width);
  if (!is_vector_file(path)) {
    fail(Fault::usage, "cannot write vectors to '{}', expected a file name that ends in .npy or .safetensors",
         path.string());
  }
  vectors_.write(header());
}

std::string VectorWriter::header() const {
  return npy_ ? npy_header(rows_, width_) : one_tensor_header(rows_, width_);
}

void VectorWriter::add(std::span<const float> vector, std::string_view text) {
  require(static_cast<int64_t>(vector.size()) == width_, Code::bad_shape,
          "row {} has {} numbers, expected {}", rows_, vector.size(), width_);
  vectors_.write(std::as_bytes(vector));
  texts_.write(text_line(rows_, text, std::as_bytes(vector)));
  ++rows_;
}

void VectorWriter::commit() {
  vectors_.overwrite_start(header());
  texts_.commit();  // first: a file of vectors never appears without its texts
  vectors_.commit();
}

}  // namespace locus
