// Properties of every placement, tested with random lengths, masks and ids.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "locus/scheme/placement.h"

namespace locus {
namespace {

using Ints = std::vector<int32_t>;
constexpr PositionPolicy kCount{PositionPolicy::Kind::count, 2};

Ints ints(const Indices& indices) {
  const auto values = indices.values();
  return {values.begin(), values.end()};
}

bool same(const Sequences& a, const Sequences& b) {
  return ints(a.query_starts) == ints(b.query_starts) && ints(a.key_starts) == ints(b.key_starts) &&
         ints(a.query_positions) == ints(b.query_positions) &&
         ints(a.key_positions) == ints(b.key_positions) && a.longest_keys == b.longest_keys &&
         a.contiguous == b.contiguous;
}

std::vector<int64_t> draw_lengths(int64_t count) {
  return *rc::gen::container<std::vector<int64_t>>(static_cast<size_t>(count),
                                                   rc::gen::inRange<int64_t>(0, 9));
}

Tensor draw_mask(int64_t rows, int64_t columns) {
  const Tensor mask = Tensor::zeros({rows, columns}, DType::i32);
  for (int32_t& value : mask.data<int32_t>()) value = *rc::gen::inRange<int32_t>(0, 2);
  return mask;
}

RC_GTEST_PROP(PlacementProperty, CountingIsTheSameForEveryPadding, ()) {
  const auto rows = *rc::gen::inRange<int64_t>(0, 5), columns = *rc::gen::inRange<int64_t>(0, 9);
  const Tensor mask = draw_mask(rows, columns);
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < rows; ++row) {
    const auto values = mask.data<int32_t>().subspan(row * columns, columns);
    lengths.push_back(std::count(values.begin(), values.end(), 1));
  }
  const Placement masked = Placement::masked(mask, kCount);
  RC_ASSERT(same(masked.sequences(), Placement::of_lengths(lengths, kCount).sequences()));
  RC_ASSERT(masked.sequences().contiguous);
}

RC_GTEST_PROP(PlacementProperty, RowPositionsAreTheColumnsOfRealTokens, ()) {
  const auto rows = *rc::gen::inRange<int64_t>(1, 5), columns = *rc::gen::inRange<int64_t>(1, 9);
  const Placement placement = Placement::masked(draw_mask(rows, columns), {.offset = 3});
  const Tensor column_of = Tensor::zeros({rows, columns}, DType::i32);
  for (int64_t i = 0; i < rows * columns; ++i)
    column_of.data<int32_t>()[i] = static_cast<int32_t>(i % columns + 3);
  RC_ASSERT(ints(placement.pack(column_of)) == ints(placement.sequences().query_positions));
}

RC_GTEST_PROP(PlacementProperty, PackUndoesUnpackAndUnpackOnlyFillsPadding, ()) {
  const auto rows = *rc::gen::inRange<int64_t>(0, 5), columns = *rc::gen::inRange<int64_t>(0, 9);
  const Tensor mask = draw_mask(rows, columns);
  const Placement placement = Placement::masked(mask);
  const Tensor rectangle = Tensor::zeros({rows, columns, 3});
  for (float& value : rectangle.data<float>()) value = static_cast<float>(*rc::gen::inRange(-99, 99));
  const Tensor packed = placement.pack(rectangle), back = placement.unpack(packed, 1234);
  RC_ASSERT(placement.pack(back).values() == packed.values());
  for (int64_t i = 0; i < rectangle.numel(); ++i) {
    const bool real = mask.data<int32_t>()[i / 3] == 1;
    RC_ASSERT(back.data<float>()[i] == (real ? rectangle.data<float>()[i] : 1234));
  }
}

RC_GTEST_PROP(PlacementProperty, StepsOfACacheEndWhereTheFullPassDoes, ()) {
  const auto count = *rc::gen::inRange<int64_t>(0, 5);
  std::vector<int64_t> total = draw_lengths(count);
  Placement placement = Placement::of_lengths(total, kCount);
  for (int step = *rc::gen::inRange(0, 4); step > 0; --step) {
    const std::vector<int64_t> lengths = draw_lengths(count);
    const Placement next = Placement::of_lengths(lengths, kCount);
    placement = next.after(placement);
    RC_ASSERT(ints(placement.sequences().query_starts) == ints(next.sequences().query_starts));
    for (int64_t b = 0; b < count; ++b) total[b] += lengths[b];
  }
  const Placement full = Placement::of_lengths(total, kCount);
  RC_ASSERT(ints(placement.sequences().key_positions) == ints(full.sequences().key_positions));
  RC_ASSERT(ints(placement.sequences().key_starts) == ints(full.sequences().key_starts));
  RC_ASSERT(placement.last_position() == full.last_position());
  RC_ASSERT(placement.sequences().contiguous);
}

RC_GTEST_PROP(PlacementProperty, GivenIdsComeOutAsTheyWentInOrAreRefused, (std::vector<float> ids)) {
  const int64_t table = *rc::gen::inRange<int64_t>(1, 100);
  for (float& id : ids) {
    if (*rc::gen::inRange(0, 4) != 0) id = static_cast<float>(*rc::gen::inRange<int>(0, 120));
  }
  const bool fine = std::all_of(ids.begin(), ids.end(), [&](float id) {
    return id >= 0 && id < static_cast<float>(table) && id == std::floor(id);
  });
  const Tensor tensor = Tensor::of({1, static_cast<int64_t>(ids.size())}, ids);
  if (!fine) {
    RC_ASSERT_THROWS_AS(Placement::given(tensor, {}, table), Error);
    return;
  }
  const Ints positions = ints(Placement::given(tensor, {}, table).sequences().query_positions);
  RC_ASSERT(std::equal(ids.begin(), ids.end(), positions.begin(), positions.end(),
                       [](float id, int32_t position) { return id == static_cast<float>(position); }));
}

RC_GTEST_PROP(PlacementProperty, DistancesAreTheExtremesOfAllPairs, ()) {
  const auto count = *rc::gen::inRange<int64_t>(0, 4);
  const Placement placement = Placement::of_lengths(draw_lengths(count))
                                  .cross_attention(Placement::of_lengths(draw_lengths(count), kCount));
  const Sequences& s = placement.sequences();
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t b = 0; b < count; ++b) {
    for (int32_t i = ints(s.query_starts)[b]; i < ints(s.query_starts)[b + 1]; ++i) {
      for (int32_t j = ints(s.key_starts)[b]; j < ints(s.key_starts)[b + 1]; ++j) {
        const int64_t distance = ints(s.key_positions)[j] - ints(s.query_positions)[i];
        least = std::min(least, distance);
        most = std::max(most, distance);
      }
    }
  }
  if (least > most) least = most = 0;
  RC_ASSERT(placement.distances() == std::pair(least, most));
}

}  // namespace
}  // namespace locus
