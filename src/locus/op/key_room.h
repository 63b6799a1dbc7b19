// Memory for the keys and values of one sequence in a KV cache, with room for more tokens than it has. The
// layout is kernel::RoomViews: keys are in transposed blocks, and every key head is contiguous.
#pragma once

#include "locus/tensor/tensor.h"

namespace locus::op {

struct KeyRoom {
  Tensor keys;    // [G, room / 16, D, 16]
  Tensor values;  // [G, room, D rounded up to 16]

  int64_t room() const { return values ? values.size(1) : 0; }
};

// Writes keys and values [n, G*D] after the first `count` tokens. If there is no room, the tokens move to new
// memory, which has room for at least half as many again: n tokens cost O(n) copies, however they come.
void append(KeyRoom& room, int64_t count, const Tensor& keys, const Tensor& values, int64_t key_heads);

// A copy of the first `count` tokens.
KeyRoom copy(const KeyRoom& room, int64_t count);

}  // namespace locus::op
