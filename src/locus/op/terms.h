// What a position scheme asks of a model, in the three places where it can act. Terms say what to compute,
// not who asked: everything below scheme/ works on these alone.
#pragma once

#include <optional>

#include "locus/autograd/var.h"

namespace locus {

// Packed tokens: all sequences one after the other, no padding. Keys apart from queries, so that a cache is
// just more keys than queries, and cross attention keys of another text.
struct Sequences {
  Tensor query_starts, key_starts;        // i32 [B+1]
  Tensor query_positions, key_positions;  // i32 [Nq], [Nk]
  int64_t longest_keys = 0;               // of one sequence
  bool contiguous = true;                 // positions rise by one inside every sequence

  int64_t count() const { return query_starts.numel() - 1; }
};

// Input: a row for every token, added to its embedding or joined on behind it.
struct InputTerm {
  Var table;    // [R, C], or [R, own width] when joined
  Tensor rows;  // i32 [N]: each token's row of the table
  bool joined = false;
};

// Rotation: angles for every token, see kernel/rotate.h. Queries and keys share the tables unless keys have
// their own.
struct RotationTerm {
  Tensor cos, sin;              // f32 [R, width/2]
  Tensor key_cos, key_sin;      // absent: the same as cos and sin
  Tensor query_rows, key_rows;  // i32 [Nq], [Nk]
  int64_t width = 0;            // how much of each head is rotated
  bool interleaved = false;
};

// Scores: see kernel/attention.h. A table's column d + zero belongs to distance d.
struct DistanceTerm {
  Var table;  // [H, S]
  int64_t zero = 0;
};
struct SlotTerm {
  Var table;     // [slots, H*D], or [slots, D] for all heads
  Tensor slots;  // i32 [S]
  int64_t zero = 0;
};
struct ScoreTerms {
  std::optional<DistanceTerm> by_distance;
  std::optional<SlotTerm> by_query, by_key;
  Var dense;                   // [H, P], the sequences' [queries, keys] blocks one after the other; or none
  std::optional<float> scale;  // replaces 1/sqrt(D) where a scheme says so
};

struct Terms {
  std::optional<InputTerm> input;
  std::optional<RotationTerm> rotation;
  ScoreTerms scores;
};

}  // namespace locus
