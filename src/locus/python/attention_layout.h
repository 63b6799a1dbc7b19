// Where the sequences of an attention call are in the caller's memory: packed one after the other, or as rows
// of a padded batch. The kernel reads both in place. Padding becomes sequences of its own that have no keys
// or no queries, which cost nothing. Only a mask with gaps inside a sequence needs copies (`gathered`).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "locus/kernel/attention.h"

namespace locus::python {

class AttentionLayout {
 public:
  using Bounds = std::optional<std::span<const int32_t>>;

  // Sequences one after the other. Starts are [B+1], from 0 to the number of tokens. Keys have those of the
  // queries unless they have their own.
  static AttentionLayout packed(Bounds query_starts, Bounds key_starts, int64_t queries, int64_t keys);
  // `batch` rows of equal size; each begins with a sequence of the given length. No lengths: all of the row,
  // or those of the queries if queries and keys have equally many columns.
  static AttentionLayout padded(int64_t batch, int64_t queries, int64_t keys, Bounds query_lengths,
                                Bounds key_lengths);
  // The same with a mask [batch, width]: nonzero for the tokens that are keys. The columns of keys from
  // `width` on are unused memory. If `of_queries`, the queries are the tokens of the last columns before
  // `width`, and masked, too.
  static AttentionLayout masked(int64_t batch, int64_t queries, int64_t keys, std::span<const uint8_t> mask,
                                bool of_queries);

  kernel::SequenceViews views() const;
  int64_t sequences() const { return static_cast<int64_t>(query_starts_.size()) - 1; }
  int64_t longest() const { return longest_; }  // number of keys of the longest sequence
  int64_t pairs() const;                        // of queries and keys
  // The smallest and the largest distance of a pair, and 0.
  std::pair<int64_t, int64_t> distances() const;
  // For masks that align the last query with the last key: fails unless every sequence has a key for each
  // query.
  void check_aligned() const;

  bool gathered() const { return gathered_; }
  // The rows of the caller's memory that queries and keys have, if gathered; otherwise row n is n.
  std::span<const int32_t> query_rows() const { return query_rows_; }
  std::span<const int32_t> key_rows() const { return key_rows_; }
  int64_t query_row(int64_t n) const { return gathered_ ? query_rows_[static_cast<size_t>(n)] : n; }
  int64_t key_row(int64_t n) const { return gathered_ ? key_rows_[static_cast<size_t>(n)] : n; }

 private:
  // Adds a sequence with consecutive positions.
  void add(int64_t queries, int64_t first_query, int64_t keys, int64_t first_key);
  void add_padding(int64_t queries, int64_t keys);
  void gather(int64_t queries, int64_t keys, std::span<const uint8_t> mask, int64_t batch, bool of_queries);

  std::vector<int32_t> query_starts_{0}, key_starts_{0}, query_positions_, key_positions_, query_rows_,
      key_rows_;
  bool contiguous_ = true, gathered_ = false;
  int64_t longest_ = 0;
};

}  // namespace locus::python
