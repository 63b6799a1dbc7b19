#include "locus/scheme/position_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "locus/base/parallel.h"

namespace locus {
namespace {

// A row is some hundreds of sines, so a chunk of this many rows is worth a thread.
constexpr int64_t kRowsPerChunk = 16;

// Identifies the row that a token needs. Rows of a scattered table are sorted by it.
using Key = std::pair<int64_t, int32_t>;  // variant, position

void write_row(const PositionTable::Row& row, int64_t position, const std::vector<Tensor>& tables, int64_t to,
               std::vector<float>& scratch) {
  row(position, scratch);
  const float* from = scratch.data();
  for (const Tensor& table : tables) {
    std::copy_n(from, table.size(1), table.view().row<float>(to));
    from += table.size(1);
  }
}

std::vector<Key> keys_of(const Indices& starts, const Indices& positions, std::span<const int64_t> variants) {
  const auto bounds = starts.values();
  const auto values = positions.values();
  std::vector<Key> keys;
  keys.reserve(values.size());
  for (size_t b = 0; b + 1 < bounds.size(); ++b) {
    for (int32_t n = bounds[b]; n < bounds[b + 1]; ++n) {
      keys.emplace_back(variants.empty() ? 0 : variants[b], values[n]);
    }
  }
  return keys;
}

Indices rows_of(const std::vector<Key>& wanted, const std::vector<Key>& table) {
  std::vector<int32_t> rows;
  rows.reserve(wanted.size());
  for (const Key& key : wanted) {
    rows.push_back(static_cast<int32_t>(std::ranges::lower_bound(table, key) - table.begin()));
  }
  return Indices::of(rows);
}

}  // namespace

PositionTable::PositionTable(int64_t tables, int64_t width, RowOfVariant rows, Device device)
    : width_(width), count_(static_cast<size_t>(tables)), rows_(std::move(rows)), device_(device) {}

PositionTable::Found PositionTable::find(const Placement& placement,
                                         std::span<const int64_t> variants) const {
  const int64_t variant = variants.empty() ? 0 : variants[0];
  const bool one = std::ranges::all_of(variants, [&](int64_t other) { return other == variant; });
  const int64_t rows = placement.last_position() + 1;
  const bool near = rows <= 1024 + 4 * (placement.queries() + placement.keys());
  if (!one || variant > 1 || !near) return scattered(placement, variants);
  const Sequences& sequences = placement.sequences();
  return {dense(variant, rows), sequences.query_positions, sequences.key_positions};
}

std::vector<Tensor> PositionTable::dense(int64_t variant, int64_t rows) const {
  std::vector<Tensor>& cached = dense_[static_cast<size_t>(variant)];
  {
    const std::lock_guard lock(mutex_);
    if (!cached.empty() && cached[0].size(0) >= rows) return cached;
  }
  // Computed without the lock: two threads may compute the same bits twice, but none waits for another.
  const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(rows, 1))));
  std::vector<Tensor> tables = empty(size);
  const Row row = rows_(variant);
  parallel_for(size, kRowsPerChunk, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch(count_ * static_cast<size_t>(width_));
    for (int64_t position = begin; position < end; ++position) {
      write_row(row, position, tables, position, scratch);
    }
  });
  take_to_device(tables);
  const std::lock_guard lock(mutex_);
  if (cached.empty() || cached[0].size(0) < size) cached = tables;
  return tables;
}

PositionTable::Found PositionTable::scattered(const Placement& placement,
                                              std::span<const int64_t> variants) const {
  const Sequences& sequences = placement.sequences();
  const std::vector<Key> queries = keys_of(sequences.query_starts, sequences.query_positions, variants);
  const std::vector<Key> keys = keys_of(sequences.key_starts, sequences.key_positions, variants);
  std::vector<Key> table = queries;
  table.insert(table.end(), keys.begin(), keys.end());
  std::ranges::sort(table);
  table.erase(std::unique(table.begin(), table.end()), table.end());

  std::vector<Tensor> tables = empty(static_cast<int64_t>(table.size()));
  parallel_for(static_cast<int64_t>(table.size()), kRowsPerChunk, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch(count_ * static_cast<size_t>(width_));
    Row row;
    for (int64_t n = begin; n < end; ++n) {
      const auto [variant, position] = table[n];
      if (!row || table[n - 1].first != variant) row = rows_(variant);
      write_row(row, position, tables, n, scratch);
    }
  });
  take_to_device(tables);
  return {tables, rows_of(queries, table), rows_of(keys, table)};
}

std::vector<Tensor> PositionTable::empty(int64_t rows) const {
  std::vector<Tensor> tables;
  for (size_t i = 0; i < count_; ++i) tables.push_back(Tensor::empty({rows, width_}));
  return tables;
}

void PositionTable::take_to_device(std::vector<Tensor>& tables) const {
  for (Tensor& table : tables) table = table.on(device_);
}

}  // namespace locus
