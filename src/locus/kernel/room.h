// Rooms: the memory of a KV cache for the keys and values of one sequence, with space for more than it has.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

// Keys in a room are in blocks of this many.
inline constexpr int64_t kRoomBlock = 16;

// Key heads are one after the other. Blocks of keys are transposed, so that the products of a query with the
// keys of a block are sums of contiguous rows.
template <class Byte>
struct BasicRoomViews {
  // [G room/16 D, 16]: component c of key j is in row (g room/16 + j/16) D + c, column j % 16
  BasicView<Byte> keys;
  BasicView<Byte> values;  // [G room, D rounded up to 16]: value j is row g room + j
};
using RoomViews = BasicRoomViews<const std::byte>;

// Writes the keys and values of fresh tokens into a room, after its first `count` tokens. The columns of
// values after D become zeros.
struct ExtendRoomArgs {
  ConstView keys, values;  // [n, G*D]
  BasicRoomViews<std::byte> room;
  int64_t key_heads = 0, count = 0;
};

}  // namespace locus::kernel
