// Rooms of a KV cache: reading returns what was written, in whatever pieces it was written.
#include "locus/op/key_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "locus/op/attention.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

Tensor rows(int64_t count, int64_t width, float first) {
  const Tensor tensor = Tensor::empty({count, width});
  for (int64_t i = 0; i < tensor.numel(); ++i)
    tensor.data<float>()[static_cast<size_t>(i)] = first + float(i);
  return tensor;
}

// Keys and values of head g and token j, component c.
float key(const op::KeyRoom& room, int64_t g, int64_t j, int64_t c) {
  const int64_t D = room.keys.size(2);
  return room.keys
      .data<float>()[static_cast<size_t>((g * room.room() / 16 + j / 16) * D * 16 + c * 16 + j % 16)];
}
float value(const op::KeyRoom& room, int64_t g, int64_t j, int64_t c) {
  return room.values.data<float>()[static_cast<size_t>((g * room.room() + j) * room.values.size(2) + c)];
}

RC_GTEST_PROP(KeyRoom, HoldsEveryTokenThatWasAppended, ()) {
  const auto G = *rc::gen::inRange<int64_t>(1, 4), D = *rc::gen::inRange<int64_t>(1, 35);
  op::KeyRoom room;
  std::vector<float> keys, values;
  int64_t count = 0;
  for (int pieces = *rc::gen::inRange(1, 6); pieces > 0; --pieces) {
    const auto n = *rc::gen::inRange<int64_t>(0, 90);
    const Tensor k = rows(n, G * D, float(1000 * pieces)), v = rows(n, G * D, -float(1000 * pieces));
    op::append(room, count, k, v, G);
    for (const float x : k.values()) keys.push_back(x);
    for (const float x : v.values()) values.push_back(x);
    count += n;
    if (*rc::gen::inRange(0, 3) == 0) room = op::copy(room, count);
  }
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t i = 0; i < G * D; ++i) {
      const auto at = static_cast<size_t>(j * G * D + i);
      RC_ASSERT(key(room, i / D, j, i % D) == keys[at]);
      RC_ASSERT(value(room, i / D, j, i % D) == values[at]);
    }
  }
}

TEST(KeyRoom, GrowsInLargeSteps) {
  op::KeyRoom room;
  int moves = 0;
  for (int64_t count = 0; count < 5000; ++count) {
    const int64_t before = room.room();
    op::append(room, count, rows(1, 8, 0), rows(1, 8, 0), 2);
    moves += room.room() != before;
  }
  EXPECT_LE(moves, 13);  // 64 times 1.5 to the 12th is more than 5000
  EXPECT_LE(room.room(), 5000 * 3 / 2 + 16);
}

TEST(KeyRoom, OfAnotherShapeIsRefused) {
  op::KeyRoom room;
  expect_error(Fault::data, Code::bad_shape, {"keys", "[2, 9]", "2"},
               [&] { op::append(room, 0, rows(2, 9, 0), rows(2, 9, 0), 2); });
  expect_error(Fault::data, Code::bad_shape, {"values", "[2, 6]", "[2, 8]"},
               [&] { op::append(room, 0, rows(2, 8, 0), rows(2, 6, 0), 2); });
  op::append(room, 0, rows(70, 8, 0), rows(70, 8, 0), 2);
  const Tensor starts = Tensor::of({2}, {0, 1}), keys = Tensor::of({2}, {0, 200});
  const Sequences sequences = {starts, keys, Tensor::of({1}, {0}), Tensor::zeros({200}, DType::i32),
                               200,    false};
  const op::AttentionOptions options = {.heads = 2};
  expect_error(Fault::data, Code::bad_shape, {"room 0", "200"},
               [&] { op::attention(Var(rows(1, 8, 0)), std::vector{room}, sequences, {}, options); });
  expect_error(Fault::data, Code::bad_shape, {"0 rooms"}, [&] {
    op::attention(Var(rows(1, 8, 0)), std::span<const op::KeyRoom>(), sequences, {}, options);
  });
  expect_error(Fault::data, {"NoGrad"}, [&] {
    const Sequences one = {starts, starts, Tensor::of({1}, {0}), Tensor::of({1}, {0}), 1, true};
    op::attention(Var::parameter(rows(1, 8, 0)), std::vector{room}, one, {}, options);
  });
}

}  // namespace
}  // namespace locus::testing
