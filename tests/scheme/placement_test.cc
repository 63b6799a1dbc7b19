#include "locus/scheme/placement.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/expect_error.h"
#include "tests/scheme/making.h"

namespace locus {
namespace {

using Ints = std::vector<int32_t>;
constexpr PositionPolicy kCountFromTwo{PositionPolicy::Kind::count, 2};

Ints ints(const Indices& indices) {
  const auto values = indices.values();
  return {values.begin(), values.end()};
}

Ints positions(const Placement& placement) { return ints(placement.sequences().query_positions); }
Ints key_positions(const Placement& placement) { return ints(placement.sequences().key_positions); }
Ints starts(const Placement& placement) { return ints(placement.sequences().query_starts); }
Ints key_starts(const Placement& placement) { return ints(placement.sequences().key_starts); }

TEST(Placement, CountsFromTheOffset) {
  const Placement placement = of_lengths({2, 0, 3}, {.offset = 5});
  EXPECT_EQ(starts(placement), (Ints{0, 2, 2, 5}));
  EXPECT_EQ(positions(placement), (Ints{5, 6, 5, 6, 7}));
  EXPECT_EQ(key_positions(placement), positions(placement));
  EXPECT_EQ(placement.count(), 3);
  EXPECT_EQ(key_starts(placement), starts(placement));
  EXPECT_EQ(placement.last_position(), 7);
  EXPECT_EQ(placement.last_position(0), 6);
  EXPECT_EQ(placement.last_position(1), -1);
  EXPECT_EQ(placement.sequences().longest_keys, 3);
  EXPECT_TRUE(placement.sequences().contiguous);
  EXPECT_EQ(placement.distances(), std::pair(int64_t{-2}, int64_t{2}));
}

TEST(Placement, MayBeEmpty) {
  for (const Placement& placement :
       {of_lengths({}), of_lengths({0, 0}), Placement::rectangle(0, 4), Placement::rectangle(2, 0)}) {
    EXPECT_EQ(placement.queries(), 0);
    EXPECT_EQ(placement.last_position(), -1);
    EXPECT_EQ(placement.distances(), std::pair(int64_t{0}, int64_t{0}));
  }
  EXPECT_EQ(starts(of_lengths({})), (Ints{0}));
  EXPECT_EQ(Placement::rectangle(2, 0).unpack(Tensor::zeros({0, 3})).shape(), (Shape{2, 0, 3}));
}

TEST(Placement, ReadsMasksWithPaddingAnywhere) {
  // Padding on the left, on the right, in between, and everywhere.
  const Tensor mask = Tensor::of({4, 4}, {0, 0, 1, 1, /**/ 1, 1, 1, 0, /**/ 1, 0, 0, 1, /**/ 0, 0, 0, 0});
  const Placement rows = Placement::masked(mask);
  EXPECT_EQ(starts(rows), (Ints{0, 2, 5, 7, 7}));
  EXPECT_EQ(positions(rows), (Ints{2, 3, 0, 1, 2, 0, 3}));
  EXPECT_FALSE(rows.sequences().contiguous) << "the third row has a hole";
  const Placement counted = Placement::masked(mask, kCountFromTwo);
  EXPECT_EQ(positions(counted), (Ints{2, 3, 2, 3, 4, 2, 3}));
  EXPECT_TRUE(counted.sequences().contiguous);
}

TEST(Placement, CountsAsRobertaAndOptDo) {
  const SafetensorsFile file = golden("placement");
  const Tensor mask = file.read("mask");
  const Placement placement = Placement::masked(mask, kCountFromTwo);
  for (const char* model : {"roberta", "opt"}) {
    const Tensor expected = placement.pack(file.read(model));
    EXPECT_TRUE(std::ranges::equal(positions(placement), expected.values())) << model;
  }
}

TEST(Placement, ReadsMasksOfEveryDtype) {
  for (const DType dtype :
       {DType::f32, DType::bf16, DType::f16, DType::i32, DType::i64, DType::f64, DType::u8, DType::boolean}) {
    EXPECT_EQ(Placement::masked(Tensor::full({1, 3}, 1, dtype)).queries(), 3) << name_of(dtype);
    EXPECT_EQ(Placement::masked(Tensor::zeros({1, 3}, dtype)).queries(), 0) << name_of(dtype);
  }
}

TEST(Placement, RefusesMasksThatAreNone) {
  const auto refused = [](const Tensor& mask, std::initializer_list<const char*> values) {
    try {
      Placement::masked(mask);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::data);
      expect_named(error, {"Placement::masked"});
      expect_named(error, values);
    }
  };
  refused(Tensor::of({2, 2}, {1.0f, 1.0f, 1.0f, 2.0f}), {"mask[1, 1]", "2", "1", "0"});
  refused(Tensor::of({1, 2}, {1.0f, 0.5f}), {"mask[0, 1]", "0.5", "1"});
  refused(Tensor::of({1, 2}, {0.0f, -INFINITY}), {"mask[0, 1]", "-inf", "1"});
  refused(Tensor::of({1, 1}, {NAN}), {"mask[0, 0]", "nan"});
  refused(Tensor::zeros({4}), {"mask", "[4]", "[sequences, tokens]"});
  refused(Tensor(), {"mask"});
}

TEST(Placement, TakesGivenIdsOfEveryKind) {
  const Tensor as_i32 = Tensor::of({2, 3}, {7, 7, 9, 0, 1, 2});
  Tensor as_i64 = Tensor::zeros({2, 3}, DType::i64);
  const Ints expected{7, 7, 9, 0, 1, 2};
  std::copy(expected.begin(), expected.end(), as_i64.data<int64_t>().begin());
  const Tensor as_f32 = Tensor::of({2, 3}, {7.0f, 7.0f, 9.0f, -0.0f, 1.0f, 2.0f});
  for (const Tensor& ids : {as_i32, as_i64, as_f32}) {
    const Placement placement = Placement::given(ids, {}, 10);
    EXPECT_EQ(positions(placement), expected) << "-0.0 is 0";
    EXPECT_EQ(starts(placement), (Ints{0, 3, 6}));
    EXPECT_FALSE(placement.sequences().contiguous);
  }
  const Tensor mask = Tensor::of({2, 3}, {0, 1, 1, 1, 0, 0});
  EXPECT_EQ(positions(Placement::given(as_f32, mask)), (Ints{7, 9, 0}));
}

TEST(Placement, DoesNotLookAtTheIdsOfPadding) {
  const Tensor ids = Tensor::of({1, 3}, {NAN, 0.0f, -1.0f});
  EXPECT_EQ(positions(Placement::given(ids, Tensor::of({1, 3}, {0, 1, 0}), 1)), (Ints{0}));
}

// The id is at row 1, column 2 of a batch that is otherwise valid.
template <class T>
void expect_refused(T id, int64_t table_length, const char* shown, const char* expected) {
  const Tensor ids = Tensor::zeros({2, 3}, dtype_of<T>);
  ids.data<T>()[5] = id;
  expect_error(Fault::data, Code::bad_position, {"Placement::given", "positions[1, 2]", shown, expected},
               [&] { Placement::given(ids, {}, table_length); });
}

TEST(Placement, RefusesANegativeId) {
  expect_refused<int32_t>(-1, 512, "-1", "512 rows");
  expect_refused<int64_t>(-1, 0, "-1", "0");
  expect_refused<float>(-3, 512, "-3", "512 rows");
}

TEST(Placement, RefusesAnIdPastTheTable) {
  expect_refused<int32_t>(512, 512, "512", "512 rows");
  expect_refused<int64_t>(600, 512, "600", "512 rows");
  expect_refused<float>(512, 512, "512", "512 rows");
}

TEST(Placement, RefusesAFractionalId) { expect_refused<float>(1.5f, 512, "1.5", "512 rows"); }

TEST(Placement, RefusesNaN) { expect_refused<float>(NAN, 512, "nan", "512 rows"); }

TEST(Placement, RefusesInfinity) {
  expect_refused<float>(INFINITY, 512, "inf", "512 rows");
  expect_refused<float>(-INFINITY, 0, "-inf", "finite");
}

TEST(Placement, RefusesAFloatThatMayHaveBeenAnotherNumber) {
  const float rounded = static_cast<float>((1 << 24) + 1);  // 16777216
  expect_refused<float>(rounded, 0, "16777216", "2^24");
  EXPECT_EQ(Placement::given(Tensor::of({1, 1}, {16777215.0f})).last_position(), 16777215);
  EXPECT_EQ(Placement::given(Tensor::of({1, 1}, {(1 << 24) + 1})).last_position(), 16777217);
}

TEST(Placement, RefusesAnIdOfMoreThan31Bits) {
  expect_refused<int64_t>(int64_t{1} << 31, 0, "2147483648", "2^31");
  expect_refused<int64_t>(INT64_MAX, 0, "9223372036854775807", "2^31");
}

TEST(Placement, RefusesIdsOfAnotherForm) {
  expect_error(Fault::data, Code::bad_shape, {"Placement::given", "positions", "bf16", "i32", "i64", "f32"},
               [] {
                 Placement::given(Tensor::zeros({1, 1}, DType::bf16));
               });
  expect_error(Fault::data, Code::bad_shape, {"Placement::given", "positions", "[2]", "[sequences, tokens]"},
               [] { Placement::given(Tensor::zeros({2})); });
  expect_error(Fault::data, Code::bad_shape, {"Placement::given", "positions"},
               [] { Placement::given(Tensor()); });
  expect_error(Fault::data, Code::bad_shape, {"Placement::given", "mask", "[1, 2]", "[2, 1]"}, [] {
    Placement::given(Tensor::zeros({2, 1}), Tensor::zeros({1, 2}));
  });
}

TEST(Placement, RefusesSizesThatCannotBe) {
  expect_error(Fault::data, {"Placement", "sequence 1", "length -2", "0"}, [] { of_lengths({1, -2}); });
  expect_error(Fault::data, {"Placement", "offset", "-1", "0"}, [] { of_lengths({1}, {.offset = -1}); });
  expect_error(Fault::data, {"Placement::rectangle", "-1 x 2", "0"}, [] { Placement::rectangle(-1, 2); });
  expect_error(Fault::data, {"Placement::rectangle", "65536 x 65536", "2147483647"},
               [] { Placement::rectangle(65536, 65536); });
  expect_error(Fault::data, {"Placement", "1099511627776", "2147483647"},
               [] { Placement::rectangle(int64_t{1} << 40, 0); });
  expect_error(Fault::data, {"sequence 1", "1099511627776", "2147483647"}, [] {
    of_lengths({1, int64_t{1} << 40});
  });
  expect_error(Fault::data, Code::bad_position, {"Placement", "2147483648", "2147483647"},
               [] { of_lengths({2}, {.offset = INT32_MAX}); });
}

TEST(Placement, ContinuesWhereACacheStopped) {
  const Placement prompt = of_lengths({3, 1, 0}, kCountFromTwo);
  const Placement first = of_lengths({1, 1, 1}, kCountFromTwo).after(prompt);
  EXPECT_EQ(positions(first), (Ints{5, 3, 2})) << "an empty past: from the offset";
  EXPECT_EQ(key_starts(first), (Ints{0, 4, 6, 7}));
  EXPECT_EQ(key_positions(first), (Ints{2, 3, 4, 5, 2, 3, 2}));
  EXPECT_TRUE(first.sequences().contiguous);
  EXPECT_EQ(first.distances(), std::pair(int64_t{-3}, int64_t{0}));
  // A second step with different lengths: 2, 0 and 1 tokens.
  const Placement second = of_lengths({2, 0, 1}, kCountFromTwo).after(first);
  EXPECT_EQ(positions(second), (Ints{6, 7, 3}));
  EXPECT_EQ(starts(second), (Ints{0, 2, 2, 3}));
  EXPECT_EQ(key_positions(second), (Ints{2, 3, 4, 5, 6, 7, 2, 3, 2, 3}));
  EXPECT_EQ(second.sequences().longest_keys, 6);
}

TEST(Placement, KeepsGivenIdsBehindACache) {
  const Placement past = of_lengths({2, 2});
  const Placement step = Placement::given(Tensor::of({2, 1}, {9, 2})).after(past);
  EXPECT_EQ(positions(step), (Ints{9, 2}));
  EXPECT_EQ(key_positions(step), (Ints{0, 1, 9, 0, 1, 2}));
  EXPECT_FALSE(step.sequences().contiguous);
}

TEST(Placement, LooksAcrossToAnotherText) {
  const Placement decoder = of_lengths({1, 2}), encoder = of_lengths({4, 0}, {.offset = 1});
  const Placement cross = decoder.cross_attention(encoder);
  EXPECT_EQ(positions(cross), (Ints{0, 0, 1}));
  EXPECT_EQ(key_positions(cross), (Ints{1, 2, 3, 4}));
  EXPECT_EQ(key_starts(cross), (Ints{0, 4, 4}));
  EXPECT_EQ(cross.distances(), std::pair(int64_t{1}, int64_t{4}));
  EXPECT_EQ(positions(of_lengths({1, 1}).after(decoder).cross_attention(encoder)), (Ints{1, 2}));
}

TEST(Placement, RefusesAPartnerThatDoesNotFit) {
  const Placement two = of_lengths({1, 1}), three = of_lengths({1, 1, 1});
  expect_error(Fault::data, {"Placement::after", "2", "3"}, [&] { two.after(three); });
  expect_error(Fault::data, {"Placement::cross_attention", "3", "2"}, [&] { three.cross_attention(two); });
  expect_error(Fault::data, {"Placement::after"}, [&] { two.after(two).after(two); });
}

TEST(Placement, PacksAndUnpacks) {
  const Placement placement = Placement::masked(Tensor::of({2, 3}, {0, 1, 1, 1, 0, 0}));
  const Tensor rectangle = Tensor::of({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Tensor packed = placement.pack(rectangle);
  EXPECT_EQ(packed.shape(), (Shape{3, 2}));
  EXPECT_EQ(ints(packed), (Ints{2, 3, 4, 5, 6, 7}));
  const Tensor back = placement.unpack(packed, -1);
  EXPECT_EQ(back.shape(), rectangle.shape());
  EXPECT_EQ(ints(back), (Ints{-1, -1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1}));
  EXPECT_EQ(placement.pack(Tensor::zeros({2, 3}, DType::boolean)).shape(), (Shape{3}));
}

TEST(Placement, RefusesToPackWhatDoesNotFit) {
  const Placement placement = Placement::rectangle(2, 3);
  expect_error(Fault::data, Code::bad_shape, {"Placement::pack", "[3, 2]", "[2, 3, ..]"}, [&] {
    placement.pack(Tensor::zeros({3, 2}));
  });
  expect_error(Fault::data, Code::bad_shape, {"Placement::unpack", "[5, 1]", "[6, ..]"}, [&] {
    placement.unpack(Tensor::zeros({5, 1}));
  });
  expect_error(Fault::data, {"Placement::pack"}, [] { of_lengths({2, 2}).pack(Tensor::zeros({2, 2})); });
  expect_error(Fault::data, {"Placement::unpack"}, [] { of_lengths({2, 2}).unpack(Tensor::zeros({4})); });
  expect_error(Fault::data, Code::bad_shape, {"Placement", "[2, 3]", "clone()"}, [&] {
    placement.pack(Tensor::zeros({2, 4}).columns(0, 3));
  });
}

}  // namespace
}  // namespace locus
