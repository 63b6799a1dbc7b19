// Where each token stands. Most bugs with positions are in the ids, not in the formulas: so there is one type
// for it, made at the door from whatever the caller has, and checked there once.
//
// Inside Locus a batch is packed: the real tokens of all sequences one after the other. A rectangular batch
// is packed by its mask and unpacked at the exit; padding never reaches a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "locus/op/terms.h"

namespace locus {

// How a model family counts.
//   row    the token's index in its row of the batch, padding counted (BERT, GPT-2's forward pass)
//   count  the number of real tokens before it (RoBERTa, OPT, GPT-2's generation)
// each plus an offset: RoBERTa's first token stands at 2, OPT's table begins with two unused rows.
struct PositionPolicy {
  enum class Kind { row, count } kind = Kind::row;
  int32_t offset = 0;
};

class Placement {
 public:
  // Sequences of these lengths; positions run from policy.offset.
  static Placement of_lengths(std::span<const int64_t> lengths, PositionPolicy policy = {});
  // A batch of B rows of T tokens, all real.
  static Placement rectangle(int64_t rows, int64_t columns, PositionPolicy policy = {});
  // A batch with a mask [B, T] of any dtype, 1 for real and 0 for padding; padding left, right or in between.
  static Placement masked(const Tensor& mask, PositionPolicy policy = {});
  // Explicit ids [B, T] as i32, i64 or f32 holding whole numbers, and a mask or none; ids of padding are not
  // looked at. Negative, fractional, not finite, too large to be exact, or not below `table_length` (0: no
  // table): an error that names row, column and value.
  static Placement given(const Tensor& ids, const Tensor& mask = {}, int64_t table_length = 0);

  // Queries that come after keys already seen (a cache): the keys of `past`, then these tokens. Where this
  // placement counts by a policy, its positions go on behind the last key of each sequence; explicit ids
  // stay.
  Placement after(const Placement& past) const;
  // The queries of this placement over the keys of another text.
  Placement across(const Placement& text) const;

  // These sequences in this order; one may be taken more than once. It packs and unpacks no rectangle.
  Placement select(std::span<const int64_t> sequences) const;

  const Sequences& sequences() const { return sequences_; }
  int64_t count() const { return sequences_.count(); }                    // B
  int64_t queries() const { return sequences_.query_positions.numel(); }  // Nq
  int64_t keys() const { return sequences_.key_positions.numel(); }       // Nk
  int64_t last_position() const;  // the largest position of any key or query; -1 when there is none
  int64_t last_position(int64_t sequence) const;   // of one sequence
  int64_t first_position(int64_t sequence) const;  // the smallest; -1 when there is none
  // Smallest and largest distance (key position - query position) that occurs in any sequence; both 0 when
  // no query has a key.
  std::pair<int64_t, int64_t> distances() const;

  // Rectangular [B, T, ..] to packed [Nq, ..] and back, for a placement made from a rectangle; `fill` stands
  // where padding was.
  Tensor pack(const Tensor& rectangle) const;
  Tensor unpack(const Tensor& packed, float fill = 0) const;

 private:
  Placement() = default;
  static Placement of_rectangle(std::span<const uint8_t> real, int64_t rows, int64_t columns,
                                PositionPolicy policy);

  Sequences sequences_;
  std::optional<int32_t> offset_;   // the policy's; none when positions were given
  std::optional<int64_t> columns_;  // T of the rectangle; none when there was none
  std::vector<int64_t> source_;     // of each packed token: row * T + column
};

}  // namespace locus
