#include "locus/apply/vector_index.h"

#include <algorithm>
#include <optional>

#include "locus/apply/vector_file.h"
#include "locus/apply/vector_texts.h"
#include "locus/base/checked.h"
#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/base/paths.h"

namespace locus {
namespace {

// A block stays in the second-level cache of a core while it is read, measured and multiplied.
constexpr int64_t kBytesOfBlock = 512 << 10;

int64_t rows_of_block(int64_t width) {
  constexpr int64_t kUnit = 16;  // the matrix product is fastest for whole units
  return std::max(kBytesOfBlock / (width * int64_t{sizeof(float)}) / kUnit, int64_t{1}) * kUnit;
}

struct BlockMemory {
  Tensor rows;
  std::vector<std::byte> scratch;
};

}  // namespace

VectorIndex::VectorIndex(const std::filesystem::path& path) : vectors_(std::make_unique<VectorFile>(path)) {
  const std::filesystem::path texts = texts_path(path);
  if (is_there(texts)) texts_ = std::make_unique<VectorTexts>(texts, rows());
}

VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;
VectorIndex::~VectorIndex() = default;

const std::filesystem::path& VectorIndex::path() const { return vectors_->path(); }
int64_t VectorIndex::rows() const { return vectors_->rows(); }
int64_t VectorIndex::width() const { return vectors_->width(); }

std::vector<std::vector<NearRow>> VectorIndex::search(const Tensor& queries, size_t top) const {
  require(queries.shape().rank() == 2 && queries.dtype() == DType::f32 && queries.size(1) == width(),
          Code::bad_shape, "queries are {} {}, expected f32 vectors of {} numbers as in '{}'",
          name_of(queries.dtype()), queries.shape(), width(), path().string());
  const int64_t each = rows_of_block(width());
  NearestRows nearest(queries, top);
  std::vector<BlockMemory> memory(static_cast<size_t>(threads()));
  std::vector<std::optional<Error>> errors(static_cast<size_t>(divide_up(rows(), each)));
  parallel_for(rows(), each, [&](int64_t begin, int64_t end) {
    try {
      BlockMemory& own = memory[static_cast<size_t>(thread_index())];
      if (!own.rows) own.rows = Tensor::empty({std::min(each, rows()), width()});
      const Tensor block = own.rows.rows(0, end - begin);
      vectors_->read(begin, block.data<float>(), own.scratch);
      nearest.add(block, begin);
    } catch (const Error& error) {
      errors[static_cast<size_t>(begin / each)] = error;
    }
  });
  for (const std::optional<Error>& error : errors) {
    if (error) throw error->at("'" + path().string() + "'");
  }
  vectors_->require_unchanged();
  return nearest.best();
}

std::vector<float> VectorIndex::vector(int64_t row) const {
  require(0 <= row && row < rows(), "row is {}, expected at least 0 and below {}", row, rows());
  std::vector<float> numbers(static_cast<size_t>(width()));
  std::vector<std::byte> scratch;
  vectors_->read(row, numbers, scratch);
  return numbers;
}

std::string VectorIndex::text(int64_t row) const {
  require(texts_ != nullptr, Code::missing_file, "'{}' has no texts: '{}' does not exist", path().string(),
          texts_path(path()).string());
  require(0 <= row && row < rows(), "row is {}, expected at least 0 and below {}", row, rows());
  return texts_->text(row, vectors_->bytes_of_row(row));
}

}  // namespace locus
