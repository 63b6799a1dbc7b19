#include "locus/python/attention_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "locus/base/error.h"

namespace locus::python {
namespace {

using Bounds = AttentionLayout::Bounds;

void check_starts(const char* name, std::span<const int32_t> starts, int64_t tokens) {
  require(!starts.empty() && starts.front() == 0 && starts.back() == tokens && std::ranges::is_sorted(starts),
          Code::bad_shape,
          "attention: {} has {} numbers from {} to {}, expected to increase from 0 to {} tokens", name,
          starts.size(), starts.empty() ? 0 : starts.front(), starts.empty() ? 0 : starts.back(), tokens);
}

void check_lengths(const char* name, const Bounds& lengths, int64_t batch, int64_t columns) {
  if (!lengths) return;
  require(std::ssize(*lengths) == batch, Code::bad_shape,
          "attention: {} has {} numbers, expected {} (the batch)", name, lengths->size(), batch);
  for (const int32_t length : *lengths) {
    require(length >= 0 && length <= columns, Code::bad_shape, "attention: {} has {}, expected 0 to {}", name,
            length, columns);
  }
}

void check_tokens(int64_t queries, int64_t keys) {
  require(std::max(queries, keys) <= std::numeric_limits<int32_t>::max(), Code::bad_shape,
          "attention: got {} queries and {} keys, expected fewer than 2^31", queries, keys);
}

// The kernel reads data() of empty arrays, too.
template <class T>
ConstView view_of(const std::vector<T>& values) {
  static constexpr T kNone{};
  const T* data = values.empty() ? &kNone : values.data();
  const auto count = static_cast<int64_t>(values.size());
  return {reinterpret_cast<const std::byte*>(data), DType::i32, Device::cpu, 1, count, count};
}

// The columns of a row that are tokens.
struct Tokens {
  int64_t first = 0, count = 0;
  bool gaps = false;

  Tokens(std::span<const uint8_t> mask, int64_t from) {
    int64_t last = -1;
    for (auto column = from; column < std::ssize(mask); ++column) {
      if (mask[static_cast<size_t>(column)] == 0) continue;
      if (count++ == 0) first = column;
      last = column;
    }
    gaps = count > 0 && last - first + 1 != count;
  }
};

}  // namespace

void AttentionLayout::add(int64_t queries, int64_t first_query, int64_t keys, int64_t first_key) {
  const int64_t shift = std::max<int64_t>(0, -std::min(first_query, first_key));
  const auto append = [&](std::vector<int32_t>& positions, int64_t count, int64_t first) {
    const size_t size = positions.size();
    positions.resize(size + static_cast<size_t>(count));
    std::iota(positions.begin() + static_cast<ptrdiff_t>(size), positions.end(),
              static_cast<int32_t>(first + shift));
  };
  append(query_positions_, queries, first_query);
  append(key_positions_, keys, first_key);
  query_starts_.push_back(static_cast<int32_t>(query_positions_.size()));
  key_starts_.push_back(static_cast<int32_t>(key_positions_.size()));
  longest_ = std::max(longest_, keys);
}

void AttentionLayout::add_padding(int64_t queries, int64_t keys) {
  if (queries > 0) add(queries, 0, 0, 0);
  if (keys > 0) add(0, 0, keys, 0);
}

AttentionLayout AttentionLayout::packed(Bounds query_starts, Bounds key_starts, int64_t queries,
                                        int64_t keys) {
  check_tokens(queries, keys);
  const std::span<const int32_t> q = query_starts.value(), k = key_starts.value_or(q);
  check_starts("cu_seqlens", q, queries);
  check_starts("key_cu_seqlens", k, keys);
  require(q.size() == k.size(), Code::bad_shape,
          "attention: key_cu_seqlens has {} numbers, expected {} (those of cu_seqlens)", k.size(), q.size());
  AttentionLayout layout;
  for (size_t b = 0; b + 1 < q.size(); ++b) {
    const int64_t own = q[b + 1] - q[b], all = k[b + 1] - k[b];
    layout.add(own, all - own, all, 0);
  }
  return layout;
}

AttentionLayout AttentionLayout::padded(int64_t batch, int64_t queries, int64_t keys, Bounds query_lengths,
                                        Bounds key_lengths) {
  check_tokens(batch * queries, batch * keys);
  check_lengths("lengths", query_lengths, batch, queries);
  if (!key_lengths && queries == keys) key_lengths = query_lengths;
  check_lengths("key_lengths", key_lengths, batch, keys);
  AttentionLayout layout;
  for (size_t b = 0; b < static_cast<size_t>(batch); ++b) {
    const int64_t own = query_lengths ? (*query_lengths)[b] : queries,
                  all = key_lengths ? (*key_lengths)[b] : keys;
    layout.add(own, all - own, all, 0);
    layout.add_padding(queries - own, keys - all);
  }
  return layout;
}

AttentionLayout AttentionLayout::masked(int64_t batch, int64_t queries, int64_t keys,
                                        std::span<const uint8_t> mask, bool of_queries) {
  check_tokens(batch * queries, batch * keys);
  const int64_t width = batch == 0 ? 0 : std::ssize(mask) / batch;
  require(std::ssize(mask) == batch * width && width <= keys, Code::bad_shape,
          "attention: the mask has {} numbers, expected at most {} for each of the {} rows", mask.size(),
          keys, batch);
  require(!of_queries || queries <= width, Code::bad_shape,
          "attention: the mask has {} columns, expected at least {} (one for every query)", width, queries);
  AttentionLayout layout;
  for (int64_t b = 0; b < batch; ++b) {
    const std::span<const uint8_t> row =
        mask.subspan(static_cast<size_t>(b * width), static_cast<size_t>(width));
    const Tokens key(row, 0), query(row, of_queries ? width - queries : width);
    if (key.gaps) {
      layout.gather(queries, keys, mask, batch, of_queries);
      return layout;
    }
    layout.add_padding(0, key.count > 0 ? key.first : 0);
    const int64_t first = of_queries && query.count > 0 ? query.first - (width - queries) : 0;
    const int64_t count = of_queries ? query.count : queries;
    layout.add_padding(first, 0);
    layout.add(count, width - queries + first, key.count, key.first);
    layout.add_padding(queries - first - count, keys - (key.count > 0 ? key.first : 0) - key.count);
  }
  return layout;
}

void AttentionLayout::gather(int64_t queries, int64_t keys, std::span<const uint8_t> mask, int64_t batch,
                             bool of_queries) {
  *this = AttentionLayout();
  gathered_ = true;
  contiguous_ = false;
  const int64_t width = std::ssize(mask) / batch, shift = std::max<int64_t>(0, queries - width);
  const auto end = [&](std::vector<int32_t>& starts, const std::vector<int32_t>& rows) {
    starts.push_back(static_cast<int32_t>(rows.size()));
  };
  for (int64_t b = 0; b < batch; ++b) {
    const auto is_token = [&](int64_t column) { return mask[static_cast<size_t>(b * width + column)] != 0; };
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t column = width - queries + i;
      if (of_queries && !is_token(column)) continue;
      query_rows_.push_back(static_cast<int32_t>(b * queries + i));
      query_positions_.push_back(static_cast<int32_t>(column + shift));
    }
    for (int64_t j = 0; j < width; ++j) {
      if (!is_token(j)) continue;
      key_rows_.push_back(static_cast<int32_t>(b * keys + j));
      key_positions_.push_back(static_cast<int32_t>(j + shift));
    }
    longest_ = std::max(longest_, std::ssize(key_rows_) - key_starts_.back());
    end(query_starts_, query_rows_);
    end(key_starts_, key_rows_);
  }
}

kernel::SequenceViews AttentionLayout::views() const {
  return {view_of(query_starts_), view_of(key_starts_), view_of(query_positions_), view_of(key_positions_),
          contiguous_};
}

int64_t AttentionLayout::pairs() const {
  int64_t total = 0;
  for (size_t b = 0; b + 1 < query_starts_.size(); ++b) {
    total += int64_t{query_starts_[b + 1] - query_starts_[b]} * (key_starts_[b + 1] - key_starts_[b]);
  }
  return total;
}

std::pair<int64_t, int64_t> AttentionLayout::distances() const {
  int64_t least = 0, most = 0;
  for (size_t b = 0; b + 1 < query_starts_.size(); ++b) {
    const int32_t q = query_starts_[b], q_end = query_starts_[b + 1], k = key_starts_[b],
                  k_end = key_starts_[b + 1];
    if (q == q_end || k == k_end) continue;
    // Positions increase within a sequence.
    least = std::min<int64_t>(least, int64_t{key_positions_[static_cast<size_t>(k)]} -
                                         query_positions_[static_cast<size_t>(q_end) - 1]);
    most = std::max<int64_t>(most, int64_t{key_positions_[static_cast<size_t>(k_end) - 1]} -
                                       query_positions_[static_cast<size_t>(q)]);
  }
  return {least, most};
}

void AttentionLayout::check_aligned() const {
  for (size_t b = 0; b + 1 < query_starts_.size(); ++b) {
    const int64_t queries = query_starts_[b + 1] - query_starts_[b],
                  keys = key_starts_[b + 1] - key_starts_[b];
    require(
        keys == 0 || queries <= keys, Code::bad_shape,
        "attention: a sequence has {} queries and {} keys, expected at least one key per query for causal or "
        "windowed attention",
        queries, keys);
  }
}

}  // namespace locus::python
