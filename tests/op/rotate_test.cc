#include "locus/op/rotate.h"

#include <cmath>

#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;

// Tables of 7 rows in f32, for 4 queries and 5 keys.
RotationTerm term_of(int64_t width, bool interleaved = false) {
  const auto table = [&](uint64_t seed) { return testing::normal_tensor({7, width / 2}, Device::cpu, seed); };
  return {.cos = table(11),
          .sin = table(12),
          .query_rows = Tensor::of({4}, {0, 6, 3, 3}),
          .key_rows = Tensor::of({5}, {0, 1, 2, 6, 3}),
          .width = width,
          .interleaved = interleaved};
}

// With tables where the kernels can read them.
RotationTerm beside(const Var& x, RotationTerm term) {
  const Device device = x.value().device();
  if (!on_host(device)) term.cos = term.cos.on(device), term.sin = term.sin.on(device);
  return term;
}

TEST(OpRotate, BothLayoutsAndAPartOfTheHead) {
  for (const bool interleaved : {false, true}) {
    for (const int64_t width : {0, 2, 6, 10}) {
      SCOPED_TRACE(width);
      const RotationTerm term = term_of(width, interleaved);
      check_op([=](Vars in) { return rotate_queries(in[0], beside(in[0], term), 3); }, {{{4, 30}}});
      check_op([=](Vars in) { return rotate_keys(in[0], beside(in[0], term), 1); }, {{{5, 10}, 1, true}});
    }
  }
}

TEST(OpRotate, KeysMayHaveTablesOfTheirOwn) {
  RotationTerm term = term_of(4);
  const Var k(testing::normal_tensor({5, 4}, Device::cpu, 1));
  const Tensor shared = rotate_keys(k, term, 1).value();
  term.key_cos = term.sin;
  term.key_sin = term.cos;
  const Tensor own = rotate_keys(k, term, 1).value();
  EXPECT_NE(own.values(), shared.values());
  std::swap(term.cos, term.sin);
  term.key_cos = term.key_sin = Tensor();
  EXPECT_EQ(own.values(), rotate_keys(k, term, 1).value().values());
}

// After rotation by the angles of their positions, the product of a query and a key depends only on the
// distance.
TEST(OpRotate, ProductsDependOnTheDistance) {
  const int64_t L = 9;
  RotationTerm term = {.cos = Tensor::empty({L, 1}), .sin = Tensor::empty({L, 1}), .width = 2};
  for (int64_t p = 0; p < L; ++p) {
    term.cos.data<float>()[static_cast<size_t>(p)] =
        static_cast<float>(std::cos(0.7 * static_cast<double>(p)));
    term.sin.data<float>()[static_cast<size_t>(p)] =
        static_cast<float>(std::sin(0.7 * static_cast<double>(p)));
  }
  const Var q(Tensor::of({1, 2}, {0.3f, -1.2f})), k(Tensor::of({1, 2}, {0.9f, 0.4f}));
  const auto product = [&](int32_t i, int32_t j) {
    term.query_rows = Tensor::of({1}, {i});
    term.key_rows = Tensor::of({1}, {j});
    const auto a = rotate_queries(q, term, 1).value().values(), b = rotate_keys(k, term, 1).value().values();
    return a[0] * b[0] + a[1] * b[1];
  };
  EXPECT_NEAR(product(0, 3), product(5, 8), 1e-6);
  EXPECT_GT(std::abs(product(0, 3) - product(0, 2)), 0.1);
}

TEST(OpRotate, EveryErrorNamesTheOpAndTheArgument) {
  const RotationTerm term = term_of(4);
  const Var q(Tensor::zeros({4, 12})), k(Tensor::zeros({5, 12}));
  const auto changed = [&](auto change) {
    RotationTerm other = term;
    change(other);
    return [=] { rotate_queries(q, other, 2); };
  };
  expect_bad_argument({"rotate_queries", "q"}, [&] { rotate_queries({}, term, 2); });
  expect_bad_argument({"rotate_keys", "k"}, [&] { rotate_keys({}, term, 2); });
  expect_bad_shape({"rotate_queries", "q", "[4, 12]", "5"}, [&] { rotate_queries(q, term, 5); });
  expect_bad_shape({"rotate_queries", "q", "[4, 12]", "0"}, [&] { rotate_queries(q, term, 0); });
  expect_bad_shape({"rotate_keys", "width", "4", "3"}, [&] { rotate_keys(k, term, 4); });
  expect_bad_shape({"rotate_queries", "width", "3"}, changed([](auto& t) { t.width = 3; }));
  expect_bad_shape({"rotate_queries", "width", "-2"}, changed([](auto& t) { t.width = -2; }));
  expect_bad_argument({"rotate_queries", "cos"}, changed([](auto& t) { t.cos = {}; }));
  expect_bad_shape({"rotate_queries", "sin", "f64", "f32"}, changed([](auto& t) {
                     t.sin = Tensor::zeros({7, 2}, DType::f64);
                   }));
  expect_bad_shape({"rotate_queries", "cos", "[7, 3]", "[rows, 2]", "4"}, changed([](auto& t) {
                     t.cos = Tensor::zeros({7, 3});
                   }));
  expect_bad_shape({"rotate_queries", "sin", "[6, 2]", "[7, 2]"}, changed([](auto& t) {
                     t.sin = Tensor::zeros({6, 2});
                   }));
  expect_bad_shape({"rotate_queries", "cos", "fenced", "cpu"},
                   changed([](auto& t) { t.cos = t.cos.on(Device::fenced); }));
  expect_bad_argument({"rotate_queries", "rows"}, changed([](auto& t) { t.query_rows = {}; }));
  expect_bad_position({"rotate_queries", "rows[1]", "7", "0", "6"}, changed([](auto& t) {
                        t.query_rows = Tensor::of({4}, {0, 7, 0, 0});
                      }));
  expect_bad_shape({"rotate_keys", "rows", "[5]", "[4]"}, [&] { rotate_keys(q, term, 2); });
  expect_bad_argument({"rotate_keys", "sin"}, [&] {
    RotationTerm half = term;
    half.key_cos = term.cos;
    rotate_keys(k, half, 2);
  });
}

}  // namespace
}  // namespace locus::op
