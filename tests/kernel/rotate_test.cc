#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

struct Heads {
  int64_t tokens, heads, head_size, width;
};

// No tokens, one of each, tails of every vector size, part of the head, one pair, width 0, several pieces.
constexpr std::array<Heads, 10> kHeads = {{{0, 2, 8, 8},
                                           {1, 1, 2, 2},
                                           {3, 1, 6, 6},
                                           {5, 3, 10, 10},
                                           {4, 2, 22, 14},
                                           {7, 12, 64, 64},
                                           {3, 2, 66, 66},
                                           {6, 4, 80, 32},
                                           {2, 3, 5, 0},
                                           {300, 3, 96, 2}}};

struct Variant {
  bool interleaved, backward, in_place;
};

void compare_rotation(const Heads& size, Layout layout, Variant variant) {
  SCOPED_TRACE(::testing::Message() << size.tokens << " tokens, " << size.heads << " heads of "
                                    << size.head_size << ", width " << size.width
                                    << (variant.interleaved ? ", interleaved" : "")
                                    << (variant.backward ? ", backward" : "")
                                    << (variant.in_place ? ", in place" : ""));
  // A product and a multiply-add of numbers up to 5, which may cancel.
  compare(layout, {.relative = 1e-6, .absolute = 2e-6}, [&](Stage& stage) {
    const Shape shape = {size.tokens, size.heads * size.head_size};
    const View x = variant.in_place ? stage.updated_activation(shape, 1) : stage.activation(shape, 1);
    stage.kernels().rotate({.x = x,
                            .y = variant.in_place ? x : stage.result(shape),
                            .cos = stage.input({9, size.width / 2}, 2),
                            .sin = stage.input({9, size.width / 2}, 3),
                            .rows = stage.ids(size.tokens, 4, 9),
                            .heads = size.heads,
                            .head_size = size.head_size,
                            .width = size.width,
                            .interleaved = variant.interleaved,
                            .backward = variant.backward});
  });
}

TEST(Rotate, BothLayoutsBothWays) {
  for (const Heads& size : kHeads) {
    for (const Layout layout : kLayouts) {
      for (const bool interleaved : {false, true}) {
        for (const bool backward : {false, true}) {
          for (const bool in_place : {false, true}) {
            compare_rotation(size, layout, {interleaved, backward, in_place});
          }
        }
      }
    }
  }
}

// A quarter turn of (1, 2), by hand: (a, b) -> (-b, a), for the pairs of each layout.
TEST(Rotate, QuarterTurn) {
  const Tensor x = Tensor::of({1, 4}, {1.0f, 2.0f, 3.0f, 4.0f}), y = Tensor::zeros({1, 4});
  const Tensor cos = Tensor::zeros({1, 2}), sin = Tensor::full({1, 2}, 1), rows = Tensor::of({1}, {0});
  kernel::RotateArgs args = {.x = x.view(),
                             .y = y.view(),
                             .cos = cos.view(),
                             .sin = sin.view(),
                             .rows = rows.view(),
                             .heads = 1,
                             .head_size = 4,
                             .width = 4};
  kernels(Device::cpu).rotate(args);
  EXPECT_EQ(y.values(), (std::vector<float>{-3, -4, 1, 2}));
  args.interleaved = true;
  kernels(Device::cpu).rotate(args);
  EXPECT_EQ(y.values(), (std::vector<float>{-2, 1, -4, 3}));
}

}  // namespace
}  // namespace locus::testing
