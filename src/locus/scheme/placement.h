// The position of every token in a batch. Most position bugs are in the position ids, not in the formulas. So
// one type holds the positions; it is built from the caller's lengths, mask or ids, and checked once, there.
//
// Inside Locus a batch is packed: the real tokens of all sequences, one after the other, without padding. A
// rectangular batch is packed by its mask on entry and unpacked on exit. Padding never reaches a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "locus/op/terms.h"

namespace locus {

// How a model family numbers its tokens.
//   row    the token's index in its row of the batch, padding counted (BERT, GPT-2's forward pass)
//   count  the number of real tokens before it (RoBERTa, OPT, GPT-2's generation)
// each plus an offset: RoBERTa's first token has position 2, and OPT's table begins with two unused rows.
struct PositionPolicy {
  enum class Kind { row, count } kind = Kind::row;
  int32_t offset = 0;
};

class Placement {
 public:
  // Sequences of these lengths; positions count up from policy.offset.
  static Placement of_lengths(std::span<const int64_t> lengths, PositionPolicy policy = {});
  // A batch of B rows of T tokens, all real.
  static Placement rectangle(int64_t rows, int64_t columns, PositionPolicy policy = {});
  // A batch with an attention mask [B, T] of any dtype: 1 for real tokens, 0 for padding. Padding may be on
  // the left, on the right or in between.
  static Placement masked(const Tensor& mask, PositionPolicy policy = {});
  // Explicit position ids [B, T]: i32, i64, or f32 holding whole numbers; the mask is optional. Ids of
  // padding are ignored. An id that is negative, fractional, not finite, too large to be exact, or not below
  // `table_length` (0: no table) is an error that names row, column and value.
  static Placement given(const Tensor& ids, const Tensor& mask = {}, int64_t table_length = 0);

  // Queries that follow keys already in a KV cache: the keys are those of `past`, then these tokens. If this
  // placement numbers its tokens by a policy, its positions continue after the last key of each sequence.
  // Explicit ids stay unchanged.
  Placement after(const Placement& past) const;
  // The same with the positions of the cached keys of each sequence.
  Placement after(std::span<const std::span<const int32_t>> past) const;
  // For cross-attention: the queries of this placement with the keys of another text.
  Placement cross_attention(const Placement& text) const;

  const Sequences& sequences() const { return sequences_; }
  int64_t count() const { return sequences_.count(); }                    // B
  int64_t queries() const { return sequences_.query_positions.numel(); }  // Nq
  int64_t keys() const { return sequences_.key_positions.numel(); }       // Nk
  int64_t length(int64_t sequence) const;                                 // of its queries
  int64_t last_position() const;  // the largest position of any key or query; -1 if there are no tokens
  int64_t last_position(int64_t sequence) const;   // the same for one sequence
  int64_t first_position(int64_t sequence) const;  // the smallest position; -1 if there are no tokens
  // The smallest and the largest distance (key position - query position) within any sequence; both 0 if no
  // query has a key.
  std::pair<int64_t, int64_t> distances() const;

  // Rectangular [B, T, ..] to packed [Nq, ..] and back, for a placement made from a rectangle. unpack()
  // writes `fill` into the padding.
  Tensor pack(const Tensor& rectangle) const;
  Tensor unpack(const Tensor& packed, float fill = 0) const;

 private:
  Placement() = default;
  static Placement of_rectangle(std::span<const uint8_t> real, int64_t rows, int64_t columns,
                                PositionPolicy policy);

  Sequences sequences_;
  std::optional<int32_t> offset_;   // the policy's; empty for explicit position ids
  std::optional<int64_t> columns_;  // T of the rectangle; empty if the placement is not from a rectangle
  std::vector<int64_t> source_;     // for each packed token: row * T + column
};

}  // namespace locus
