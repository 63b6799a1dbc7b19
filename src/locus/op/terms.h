// What a position scheme adds to a model, in the three places where it can act: input, rotation and scores.
// Terms describe what to compute, not which scheme it is for. All code below scheme/ uses only terms.
#pragma once

#include <optional>

#include "locus/autograd/var.h"
#include "locus/tensor/indices.h"

namespace locus {

// A packed batch: all sequences one after another, without padding. Keys are separate from queries. With a KV
// cache there are more keys than queries, and in cross-attention the keys are those of another text.
struct Sequences {
  Indices query_starts, key_starts;        // [B+1]
  Indices query_positions, key_positions;  // [Nq], [Nk]
  int64_t longest_keys = 0;                // maximum number of keys of a sequence
  bool contiguous = true;                  // in every sequence, positions increase by one

  int64_t count() const { return query_starts.numel() - 1; }
};

// Input: a row for every token, added to its embedding or concatenated after it.
struct InputTerm {
  Var table;            // [R, C], or [R, any width] if joined
  Indices rows;         // [N]: the row of the table for each token
  bool joined = false;  // concatenated instead of added
};

// Rotation: angles for every token, see kernel/rotate.h. Keys use the tables of queries unless they have
// their own.
struct RotationTerm {
  Tensor cos, sin;               // f32 [R, width/2]
  Tensor key_cos, key_sin;       // if absent: cos and sin
  Indices query_rows, key_rows;  // [Nq], [Nk]
  int64_t width = 0;             // number of rotated dimensions of each head
  bool interleaved = false;
};

// Scores: see kernel/attention.h. Column d + zero of a table belongs to distance d.
struct DistanceTerm {
  Var table;  // [H, S]
  int64_t zero = 0;
};
struct SlotTerm {
  Var table;      // [slots, H*D], or [slots, D] for all heads
  Indices slots;  // [S]
  int64_t zero = 0;
};
struct ScoreTerms {
  std::optional<DistanceTerm> by_distance;
  std::optional<SlotTerm> by_query, by_key;
  Var dense;                   // [H, P]: the [queries, keys] blocks of the sequences, concatenated; optional
  std::optional<float> scale;  // replaces 1/sqrt(D) if set
};

}  // namespace locus
