// The result of a sequence must not depend on the other sequences of its batch, on padding, on a KV cache,
// or, for relative schemes, on its first position. On the CPU in f32; results are bit-identical unless a
// tolerance is given.
#include <array>

#include "tests/conformance/block.h"

namespace locus::testing {
namespace {

class Invariance : public Conformance {};

constexpr std::array<int64_t, 5> kLengths = {7, 1, 33, 2, 65};

Placement one(int64_t length, int32_t offset = 0) {
  return Placement::of_lengths(std::array{length}, {.offset = offset});
}

TEST_P(Invariance, BatchMatesChangeNoBit) {
  for (const bool causal : {false, true}) {
    Block block(GetParam(), {.heads = 3, .causal = causal}, Device::cpu);
    const Placement placement = Placement::of_lengths(kLengths);
    const Tensor x = block.rows(placement.queries(), 11), dout = block.rows(placement.queries(), 12);
    const ForwardPass together = pass(block, x, placement, dout);
    int64_t start = 0;
    for (const int64_t length : kLengths) {
      SCOPED_TRACE(::testing::Message() << "length " << length << (causal ? ", causal" : ""));
      const int64_t end = start + length;
      const ForwardPass alone = pass(block, x.rows(start, end), one(length), dout.rows(start, end));
      EXPECT_EQ(alone.out.values(), together.out.rows(start, end).values());
      EXPECT_EQ(alone.dx.values(), together.dx.rows(start, end).values());
      start = end;
    }
  }
}

// Rows of a rectangle with padding on one side; positions count real tokens.
Placement padded(bool left) {
  const int64_t columns = 70;
  const Tensor mask = Tensor::zeros({static_cast<int64_t>(kLengths.size()), columns});
  for (size_t b = 0; b < kLengths.size(); ++b) {
    const auto row = mask.data<float>().subspan(b * columns, columns);
    std::ranges::fill(
        left ? row.last(static_cast<size_t>(kLengths[b])) : row.first(static_cast<size_t>(kLengths[b])),
        1.0f);
  }
  return Placement::masked(mask, {.kind = PositionPolicy::Kind::count});
}

TEST_P(Invariance, PaddingChangesNoBit) {
  const Block block(GetParam(), {.heads = 3, .causal = true}, Device::cpu);
  const Placement packed = Placement::of_lengths(kLengths);
  const Tensor x = block.rows(packed.queries(), 11);
  const std::vector<float> want = block.run(Var(x), packed).value().values();
  for (const bool left : {true, false}) {
    const Placement placement = padded(left);
    const Tensor rectangle = placement.unpack(x, 99);  // an arbitrary value in the padding
    const Tensor out = block.run(Var(placement.pack(rectangle)), placement).value();
    EXPECT_EQ(placement.pack(placement.unpack(out)).values(), want) << (left ? "left" : "right");
  }
}

// Two sequences are processed in pieces. Each piece gives the same bits as a full pass over the tokens so
// far: the softmax of a row is accumulated over blocks of keys that do not depend on the number of queries,
// and a row of a product has the same bits in any batch. This is a single layer, which caches keys before
// rotation, so it also holds for schemes whose tables change with the length. For several layers see Decoder.
TEST_P(Invariance, CacheEqualsTheFullPass) {
  const NoGrad scope;
  const Block block(GetParam(), {.heads = 2, .causal = true}, Device::cpu);
  const int64_t length = 70;
  const Tensor x = block.rows(2 * length, 11);
  const auto both = [&](int64_t begin, int64_t end) {
    return stack({x.rows(begin, end), x.rows(length + begin, length + end)});
  };
  for (const int64_t piece : {1, 13, 64}) {
    SCOPED_TRACE(::testing::Message() << "pieces of " << piece);
    std::vector<Block::Cache> caches(2);
    Placement past = Placement::rectangle(2, 0);
    for (int64_t at = 0; at < length; at += piece) {
      const int64_t end = std::min(length, at + piece);
      const Placement placement = Placement::rectangle(2, end - at).after(past);
      const Tensor out = block.run(Var(both(at, end)), placement, &caches).value();
      const Tensor full = block.run(Var(both(0, end)), Placement::rectangle(2, end)).value();
      ASSERT_EQ(out.values(), stack({full.rows(at, end), full.rows(end + at, 2 * end)}).values())
          << "tokens " << at << " to " << end;
      past = placement;
    }
  }
}

TEST_P(Invariance, ShiftedPositions) {
  const NoGrad scope;
  const Block block(GetParam(), {.heads = 2, .causal = true}, Device::cpu);
  const int64_t length = 40;
  const int32_t shift = 900;
  const Tensor x = block.rows(length, 11);
  const std::vector<double> before = numbers(block.run(Var(x), one(length)).value());
  const Tensor after = block.run(Var(x), one(length, shift)).value();
  if (GetParam().by_length) return;
  if (GetParam().info->relative) {
    // Shifted angles have other rounding errors, which change q.k, a sum of D products, by about 1e-6.
    expect_near(after, before, 2e-5, "shifted");
  } else {
    const std::vector<double> moved = numbers(after);
    double most = 0;
    for (size_t i = 0; i < moved.size(); ++i) most = std::max(most, std::abs(moved[i] - before[i]));
    EXPECT_GT(most, 1e-4 * largest(before)) << "an absolute scheme that does not see positions";
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Invariance, every_variant(), variant_name);

}  // namespace
}  // namespace locus::testing
