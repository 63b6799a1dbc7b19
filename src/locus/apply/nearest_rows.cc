#include "locus/apply/nearest_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/apply/cosine.h"
#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/op/matmul.h"

namespace locus {
namespace {

bool is_better(const NearRow& a, const NearRow& b) {
  return a.score > b.score || (a.score == b.score && a.row < b.row);
}

std::span<const float> row_of(const Tensor& rows, int64_t i) {
  return {rows.view().row<float>(i), static_cast<size_t>(rows.size(1))};
}

// The sum of squares, in independent sums so that they fit a vector register.
float squares(std::span<const float> row) {
  constexpr size_t kSums = 16;
  float sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums <= row.size(); i += kSums) {
    for (size_t s = 0; s < kSums; ++s) sums[s] += row[i + s] * row[i + s];
  }
  for (; i < row.size(); ++i) sums[0] += row[i] * row[i];
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

// 1 / length of every row. NaN if an f32 product with the row could overflow or lose digits: such a row is
// always a candidate.
std::vector<float> inverse_lengths_of(const Tensor& block, int64_t first) {
  constexpr float kLeast = 1e-25f, kMost = 1e25f;
  std::vector<float> result;
  for (int64_t i = 0; i < block.size(0); ++i) {
    const std::span<const float> row = row_of(block, i);
    const float sum = squares(row);
    if (sum > kLeast && sum < kMost) {
      result.push_back(1 / std::sqrt(sum));
      continue;
    }
    require(std::ranges::all_of(row, [](float value) { return std::isfinite(value); }),
            "row {} has a number that is not finite", first + i);
    result.push_back(std::numeric_limits<float>::quiet_NaN());
  }
  return result;
}

Tensor scaled_to_length_one(const Tensor& rows) {
  const Tensor unit = rows.clone();
  const auto C = static_cast<size_t>(rows.size(1));
  for (int64_t i = 0; i < rows.size(0); ++i) {
    const auto row = unit.data<float>().subspan(static_cast<size_t>(i) * C, C);
    double sum = 0;
    for (const float value : row) sum += static_cast<double>(value) * value;
    const double length = std::sqrt(sum);
    for (float& value : row) value = length == 0 ? 0 : static_cast<float>(value / length);
  }
  return unit;
}

}  // namespace

// The rounding of a sum of C products of unit vectors is below C 2^-24, and so is that of the row's length;
// the margin is twice both.
NearestRows::NearestRows(const Tensor& queries, size_t top)
    : queries_(queries.clone()),
      unit_(scaled_to_length_one(queries)),
      top_(top),
      margin_(static_cast<float>(queries.size(1) + 16) * 0x1p-22f),
      heaps_(static_cast<size_t>(threads()), std::vector<Rows>(static_cast<size_t>(queries.size(0)))) {
  require(top > 0, "the number of rows to find is 0, expected at least 1");
  const std::span<const float> all = queries_.data<float>();
  const auto bad = std::ranges::find_if_not(all, [](float value) { return std::isfinite(value); });
  require(bad == all.end(), "query {} has a number that is not finite",
          (bad - all.begin()) / queries.size(1));
}

void NearestRows::add(const Tensor& block, int64_t first) {
  // As many queries as the matrix product takes without packing the block.
  constexpr int64_t kQueriesOfProduct = 128;
  const NoGrad no_grad;
  const std::vector<float> lengths = inverse_lengths_of(block, first);
  const int64_t count = unit_.size(0);
  for (int64_t begin = 0; begin < count; begin += kQueriesOfProduct) {
    const int64_t end = std::min(begin + kQueriesOfProduct, count);
    const Tensor products = op::linear(Var(unit_.rows(begin, end)), Var(block)).value();
    for (int64_t q = begin; q < end; ++q) {
      take(static_cast<size_t>(q), block, row_of(products, q - begin), lengths, first);
    }
  }
}

void NearestRows::take(size_t query, const Tensor& block, std::span<const float> products,
                       std::span<const float> inverse_lengths, int64_t first) {
  Rows& heap = heaps_[static_cast<size_t>(thread_index())][query];
  const auto least = [&] {
    return heap.size() < top_ ? -std::numeric_limits<float>::infinity()
                              : static_cast<float>(heap.front().score) - margin_;
  };
  float limit = least();
  for (size_t i = 0; i < products.size(); ++i) {
    if (products[i] * inverse_lengths[i] < limit) continue;  // false for NaN
    const auto row = static_cast<int64_t>(i);
    const NearRow found = {first + row,
                           cosine(row_of(queries_, static_cast<int64_t>(query)), row_of(block, row))};
    if (heap.size() == top_) {
      if (!is_better(found, heap.front())) continue;
      std::ranges::pop_heap(heap, is_better);
      heap.pop_back();
    }
    heap.push_back(found);
    std::ranges::push_heap(heap, is_better);
    limit = least();
  }
}

std::vector<std::vector<NearRow>> NearestRows::best() const {
  std::vector<Rows> result(static_cast<size_t>(queries_.size(0)));
  for (size_t q = 0; q < result.size(); ++q) {
    for (const std::vector<Rows>& of_thread : heaps_) {
      result[q].insert(result[q].end(), of_thread[q].begin(), of_thread[q].end());
    }
    std::ranges::sort(result[q], is_better);
    if (result[q].size() > top_) result[q].resize(top_);
  }
  return result;
}

}  // namespace locus
