#include "locus/checkpoint/lazy_rows.h"

#include <algorithm>

#include "locus/base/huge_pages.h"
#include "locus/base/parallel.h"
#include "locus/base/quote.h"
#include "locus/tensor/blocks.h"

namespace locus {
namespace {

constexpr int64_t kRowsOfChunk = 64;

}  // namespace

LazyRows::LazyRows(std::shared_ptr<const WeightFiles> files, Binding table)
    : files_(std::move(files)),
      table_(std::move(table)),
      reader_(*files_, table_),
      loaded_(static_cast<size_t>(reader_.rows())) {
  const Tensor& memory = table_.parameters[0].value();
  const int64_t bytes = memory.numel() * size_of(memory.dtype());
  // With huge pages, a few scattered rows would take as much memory as the whole table.
  if (bytes >= kHugeBlock) use_small_pages(memory.view().data, static_cast<size_t>(bytes));
}

std::vector<int32_t> LazyRows::missing(const Indices& ids) const {
  std::vector<int32_t> rows;
  if (ids.dtype() != DType::i32) return rows;
  for (const int32_t id : ids.values()) {
    if (id >= 0 && id < reader_.rows() && !loaded_[static_cast<size_t>(id)]) rows.push_back(id);
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

void LazyRows::load(const Indices& ids) const {
  const std::lock_guard lock(mutex_);
  const std::vector<int32_t> rows = missing(ids);
  if (rows.empty()) return;
  std::vector<Scratch> scratch(static_cast<size_t>(threads()));
  parallel_for(static_cast<int64_t>(rows.size()), kRowsOfChunk, [&](int64_t begin, int64_t end) {
    for (const int32_t row :
         std::span(rows).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin))) {
      require(reader_.read(row, row + 1, scratch[static_cast<size_t>(thread_index())]), Code::damaged_file,
              "'{}': row {} of tensor {} contains NaN or infinity, expected finite numbers",
              reader_.file().path().string(), row, quote(reader_.name()));
    }
  });
  // Checked after reading: then the file was not modified during the read either.
  reader_.file().require_unchanged();
  for (const int32_t row : rows) loaded_[static_cast<size_t>(row)] = true;
}

}  // namespace locus
