#include "locus/op/key_room.h"

#include <algorithm>

#include "locus/base/checked.h"
#include "locus/kernel/kernels.h"
#include "locus/op/check.h"

namespace locus::op {
namespace {

using kernel::kRoomBlock;

constexpr int64_t kLeastRoom = 64;

int64_t whole_blocks(int64_t count) { return divide_up(count, kRoomBlock) * kRoomBlock; }

// Memory for `room` tokens, a multiple of kRoomBlock, with the dtype and device of `like`.
KeyRoom empty_room(const Tensor& like, int64_t key_heads, int64_t head_size, int64_t room) {
  return {like.like({key_heads, room / kRoomBlock, head_size, kRoomBlock}),
          like.like({key_heads, room, whole_blocks(head_size)})};
}

// The first `count` rows of every head, where a head has `rows` rows, as one row each.
Tensor heads_of(const Tensor& memory, int64_t count, int64_t rows) {
  const int64_t width = memory.size(0) == 0 ? 0 : memory.numel() / (memory.size(0) * rows);
  return memory.reshape({memory.size(0), rows * width}).columns(0, count * width);
}

// Copies the first `count` tokens. Blocks of keys are contiguous, so every head is one piece.
void copy_tokens(const KeyRoom& from, const KeyRoom& to, int64_t count) {
  const int64_t blocks = whole_blocks(count) / kRoomBlock;
  heads_of(to.keys, blocks, to.room() / kRoomBlock)
      .copy_from(heads_of(from.keys, blocks, from.room() / kRoomBlock));
  heads_of(to.values, count, to.room()).copy_from(heads_of(from.values, count, from.room()));
}

}  // namespace

void append(KeyRoom& room, int64_t count, const Tensor& keys, const Tensor& values, int64_t key_heads) {
  Check check("append");
  check.that(keys.shape().rank() == 2 && key_heads > 0 && keys.size(1) % key_heads == 0, Code::bad_shape,
             "keys have shape {}, expected [tokens, {} key heads * head size]", keys.shape(), key_heads);
  check.shaped("values", values, keys.shape(), "the shape of keys");
  const int64_t D = keys.size(1) / key_heads, wanted = count + keys.size(0);
  if (room.room() < wanted || !room.values) {
    const KeyRoom larger =
        empty_room(keys, key_heads, D, whole_blocks(std::max(kLeastRoom, wanted + wanted / 2)));
    if (count > 0) copy_tokens(room, larger, count);
    room = larger;
  }
  kernels(keys.device())
      .extend_room({.keys = keys.view(),
                    .values = values.view(),
                    .room = {room.keys.view(), room.values.view()},
                    .key_heads = key_heads,
                    .count = count});
}

KeyRoom copy(const KeyRoom& room, int64_t count) {
  if (!room.values) return {};
  const KeyRoom made = empty_room(room.keys, room.keys.size(0), room.keys.size(2),
                                  whole_blocks(std::max(kLeastRoom, count + count / 2)));
  copy_tokens(room, made, count);
  return made;
}

}  // namespace locus::op
