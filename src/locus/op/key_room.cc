#include "locus/op/key_room.h"

#include <algorithm>

#include "locus/base/checked.h"
#include "locus/kernel/attention.h"
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

// Calls f(type) with a value of the type of the elements.
template <class F>
void with_type(DType dtype, F f) {
  dtype == DType::f64 ? f(double()) : f(float());
}

// Copies the first `count` tokens. Blocks of keys are contiguous, so every head is one piece.
void copy_tokens(const KeyRoom& from, const KeyRoom& to, int64_t count) {
  const int64_t G = from.keys.size(0), D = from.keys.size(2), width = from.values.size(2);
  with_type(from.keys.dtype(), [&]<class T>(T) {
    for (int64_t g = 0; g < G; ++g) {
      std::copy_n(from.keys.view().as<T>() + g * from.room() * D, whole_blocks(count) * D,
                  to.keys.view().as<T>() + g * to.room() * D);
      std::copy_n(from.values.view().as<T>() + g * from.room() * width, count * width,
                  to.values.view().as<T>() + g * to.room() * width);
    }
  });
}

template <class T>
void write_head(const KeyRoom& room, int64_t count, const Tensor& keys, const Tensor& values, int64_t g) {
  const int64_t D = room.keys.size(2), width = room.values.size(2);
  T* head = room.keys.view().as<T>() + g * room.room() * D;
  T* row = room.values.view().as<T>() + (g * room.room() + count) * width;
  for (int64_t i = 0; i < keys.size(0); ++i, row += width) {
    const int64_t j = count + i;
    const T* key = keys.view().row<T>(i) + g * D;
    T* column = head + j / kRoomBlock * kRoomBlock * D + j % kRoomBlock;
    for (int64_t c = 0; c < D; ++c) column[c * kRoomBlock] = key[c];
    std::copy_n(values.view().row<T>(i) + g * D, D, row);
    std::fill(row + D, row + width, T(0));
  }
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
  with_type(keys.dtype(), [&]<class T>(T) {
    for (int64_t g = 0; g < key_heads; ++g) write_head<T>(room, count, keys, values, g);
  });
}

KeyRoom copy(const KeyRoom& room, int64_t count) {
  if (!room.values) return {};
  const KeyRoom made = empty_room(room.keys, room.keys.size(0), room.keys.size(2),
                                  whole_blocks(std::max(kLeastRoom, count + count / 2)));
  copy_tokens(room, made, count);
  return made;
}

}  // namespace locus::op
