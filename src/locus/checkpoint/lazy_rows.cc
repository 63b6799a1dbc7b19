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
      there_(static_cast<size_t>(reader_.rows())) {
  const Tensor& memory = table_.parameters[0].value();
  const int64_t bytes = memory.numel() * size_of(memory.dtype());
  // In huge pages a few rows all over the table would take as much memory as the whole.
  if (bytes >= kHugeBlock) use_small_pages(memory.view().data, static_cast<size_t>(bytes));
}

std::vector<int32_t> LazyRows::missing(const Tensor& ids) const {
  std::vector<int32_t> rows;
  if (ids.dtype() != DType::i32) return rows;
  for (const int32_t id : ids.data<int32_t>()) {
    if (id >= 0 && id < reader_.rows() && !there_[static_cast<size_t>(id)]) rows.push_back(id);
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

void LazyRows::bring(const Tensor& ids) const {
  const std::lock_guard lock(mutex_);
  const std::vector<int32_t> rows = missing(ids);
  if (rows.empty()) return;
  std::vector<Scratch> scratch(static_cast<size_t>(threads()));
  parallel_for(static_cast<int64_t>(rows.size()), kRowsOfChunk, [&](int64_t begin, int64_t end) {
    for (const int32_t row :
         std::span(rows).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin))) {
      require(reader_.read(row, row + 1, scratch[static_cast<size_t>(thread_index())]),
              "'{}': row {} of tensor {} holds numbers that are not finite", reader_.file().path().string(),
              row, quote(reader_.name()));
    }
  });
  // Looked at behind the reading, so that nothing was written before it, either.
  reader_.file().require_unchanged();
  for (const int32_t row : rows) there_[static_cast<size_t>(row)] = true;
}

}  // namespace locus
