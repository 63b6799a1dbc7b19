// The functions of fast.h: against their formulas in double, and bit for bit against the ops with the terms
// of a scheme.
#include "locus/fast.h"

#include <cmath>
#include <limits>

#include "locus/op/attention.h"
#include "locus/op/embed.h"
#include "locus/op/rotate.h"
#include "locus/scheme/scheme.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::fast {
namespace {

using testing::elements;

Tensor normal(Shape shape, uint64_t seed) { return testing::normal_tensor(shape, Device::cpu, seed); }

Placement lengths(const std::vector<int64_t>& of) { return Placement::of_lengths(of); }

// The same numbers within the rounding of f32 sums.
void expect_near(const Tensor& got, const std::vector<double>& expected, double tolerance = 2e-6) {
  const std::vector<double> values = elements(got);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

// (a, b) -> (a cos t - b sin t, a sin t + b cos t), t = p base^(-2n/width), in double.
std::vector<double> rotated(const Tensor& x, const std::vector<int32_t>& positions, int64_t head_size,
                            int64_t width, double base, bool interleaved) {
  std::vector<double> y = elements(x);
  for (int64_t row = 0; row < x.size(0); ++row) {
    for (int64_t head = 0; head < x.size(1); head += head_size) {
      for (int64_t n = 0; n < width / 2; ++n) {
        const double angle =
            positions[row] * std::pow(base, -2.0 * static_cast<double>(n) / static_cast<double>(width));
        double* const from = y.data() + row * x.size(1) + head;
        double& first = from[interleaved ? 2 * n : n];
        double& second = from[interleaved ? 2 * n + 1 : n + width / 2];
        const double a = first, b = second;
        first = a * std::cos(angle) - b * std::sin(angle);
        second = a * std::sin(angle) + b * std::cos(angle);
      }
    }
  }
  return y;
}

TEST(Fast, RotatesInPlaceByTheAnglesOfThePositions) {
  const std::vector<int32_t> positions = {0, 7, 3, 3, 100};
  for (const bool interleaved : {false, true}) {
    for (const int64_t width : {0, 2, 6}) {
      const Rotary options = {
          .pairs = interleaved ? RotaryPairs::interleaved : RotaryPairs::halves, .width = width, .base = 500};
      const Rotator rotator(10, options);
      const Tensor x = normal({5, 30}, 1);
      const std::vector<double> expected =
          rotated(x, positions, 10, width == 0 ? 10 : width, 500, interleaved);
      rotator.rotate(x, positions);
      expect_near(x, expected);
      EXPECT_EQ(rotator.head_size(), 10);
    }
  }
}

TEST(Fast, RotatesColumnsOfAWiderTensorAndLeavesTheOthers) {
  const Tensor wide = normal({3, 24}, 2), q = wide.columns(0, 8);
  const std::vector<double> before = elements(wide), expected = rotated(q, {4, 5, 6}, 8, 8, 10000, false);
  Rotator(8).rotate(q, {4, 5, 6});
  expect_near(q, expected);
  const std::vector<double> after = elements(wide);
  for (size_t i = 0; i < after.size(); ++i) {
    if (i % 24 >= 8) {
      EXPECT_EQ(after[i], before[i]) << i;
    }
  }
}

// The rotation of a scheme with the same options.
RotationTerm rotation_of(const Rotary& options, const Placement& placement, int64_t max_length) {
  Parameters none;
  const Geometry geometry = {.width = 16, .heads = 2, .head_size = 8, .max_length = max_length};
  return *make_scheme(options, geometry, Scope(none), InitRandom())->begin(placement).rotation();
}

TEST(Fast, EveryScalingHasTheBitsOfTheScheme) {
  using Scaling = Rotary::Scaling;
  const std::vector<Rotary> all = {
      {},
      {.base = 5e5, .scaling = Scaling::linear, .factor = 4},
      {.scaling = Scaling::dynamic, .factor = 2},
      {.scaling = Scaling::ntk, .factor = 4},
      {.scaling = Scaling::yarn, .factor = 4},
      {.scaling = Scaling::longrope, .factor = 4, .short_factor = {1, 1, 2, 2}, .long_factor = {2, 3, 4, 5}},
      {.scaling = Scaling::llama3, .factor = 8, .original_length = 32}};
  const Placement placement = lengths({3, 40, 0, 9});  // one sequence is longer than the trained length
  for (const Rotary& options : all) {
    SCOPED_TRACE(static_cast<int>(options.scaling));
    const Rotator rotator(8, options, 16);
    const Tensor x = normal({52, 16}, 3), dy = normal({52, 16}, 4);
    const Var q = Var::parameter(x.clone());
    const Var turned = op::rotate_queries(q, rotation_of(options, placement, 16), 2);
    rotator.rotate(x, placement);
    EXPECT_EQ(x.values(), turned.value().values());
    turned.backward(dy.clone());
    rotator.rotate_back(dy, placement);
    EXPECT_EQ(dy.values(), q.grad().values());
  }
}

TEST(Fast, RotationBackIsTheInverse) {
  const Tensor x = normal({4, 12}, 5);
  const std::vector<double> before = elements(x);
  const Rotator rotator(6);
  rotator.rotate(x, {9, 0, 2, 77});
  EXPECT_NE(elements(x), before);
  rotator.rotate_back(x, {9, 0, 2, 77});
  expect_near(x, before);
}

TEST(Fast, AlibiBiasesFollowThePaper) {
  const DistanceBias bias = alibi_bias(8, 4);
  ASSERT_EQ(bias.table.shape(), Shape({8, 7}));
  EXPECT_EQ(bias.zero, 3);
  const std::vector<float> values = bias.table.values();
  for (int h = 0; h < 8; ++h) {
    for (int d = -3; d <= 3; ++d) {
      EXPECT_EQ(values[static_cast<size_t>(7 * h + d + 3)], -std::exp2(-(h + 1)) * std::abs(d));
    }
  }
  EXPECT_EQ(alibi_bias(1, 2, {.scaled = true}, 16).table.values(),
            (std::vector<float>{-1.f / 1024, 0, -1.f / 1024}));
  EXPECT_EQ(alibi_bias(2, 2, {.slopes = {1, 3}}).table.values(), (std::vector<float>{-1, 0, -1, -3, 0, -3}));
}

TEST(Fast, AnyFunctionOfTheDistanceIsABias) {
  const DistanceBias bias =
      distance_bias(2, 3, [](int64_t head, int64_t d) { return static_cast<double>(10 * head + d); });
  EXPECT_EQ(bias.table.shape(), Shape({2, 5}));
  EXPECT_EQ(bias.table.values(), (std::vector<float>{-2, -1, 0, 1, 2, 8, 9, 10, 11, 12}));
  EXPECT_EQ(bias.zero, 2);
}

// The formula, one score at a time in double. One sequence whose keys and queries are the same tokens.
std::vector<double> attended(std::vector<double> q, std::vector<double> k, const Tensor& v, int64_t heads,
                             int64_t key_heads, bool causal, int64_t window, const DistanceBias& bias) {
  const int64_t N = v.size(0), G = key_heads, D = v.size(1) / G;
  const std::vector<double> values = elements(v), biases = elements(bias.table);
  std::vector<double> out(static_cast<size_t>(N * heads * D));
  for (int64_t h = 0; h < heads; ++h) {
    const int64_t g = h / (heads / G);
    for (int64_t i = 0; i < N; ++i) {
      double sum = 0;
      std::vector<double> total(static_cast<size_t>(D));
      for (int64_t j = 0; j < N; ++j) {
        if ((causal && j > i) || (window > 0 && std::abs(j - i) >= window)) continue;
        double score = 0;
        for (int64_t c = 0; c < D; ++c) score += q[(i * heads + h) * D + c] * k[(j * G + g) * D + c];
        score /= std::sqrt(static_cast<double>(D));
        if (bias.table) score += biases[h * bias.table.size(1) + j - i + bias.zero];
        sum += std::exp(score);
        for (int64_t c = 0; c < D; ++c) total[c] += std::exp(score) * values[(j * G + g) * D + c];
      }
      for (int64_t c = 0; c < D; ++c) out[(i * heads + h) * D + c] = total[c] / sum;
    }
  }
  return out;
}

TEST(Fast, AttentionWithEveryTermFollowsTheFormula) {
  const std::vector<int32_t> positions = {0, 1, 2, 3, 4, 5, 6};
  const Tensor q = normal({7, 24}, 6), k = normal({7, 12}, 7), v = normal({7, 12}, 8);
  const std::vector<double> before = elements(q);
  const Rotator rotator(6);
  for (const bool causal : {false, true}) {
    for (const int64_t window : {0, 3}) {
      for (const bool terms : {false, true}) {
        AttentionOptions options = {.heads = 4, .key_heads = 2, .causal = causal, .window = window};
        std::vector<double> queries = elements(q), keys = elements(k);
        if (terms) {
          options.bias = alibi_bias(4, 9);
          options.rotator = &rotator;
          queries = rotated(q, positions, 6, 6, 10000, false);
          keys = rotated(k, positions, 6, 6, 10000, false);
        }
        expect_near(attention(q, k, v, lengths({7}), options),
                    attended(queries, keys, v, 4, 2, causal, window, options.bias));
      }
    }
  }
  EXPECT_EQ(elements(q), before) << "attention must not rotate q itself";
}

TEST(Fast, AttentionHasTheBitsOfTheOpWithTheTermsOfASchemeAndOfAKeyCache) {
  const Placement all = lengths({5, 8});
  const Tensor q = normal({13, 16}, 9), k = normal({13, 16}, 10), v = normal({13, 16}, 11);
  Parameters none;
  const Geometry geometry = {.width = 16, .heads = 2, .head_size = 8, .causal = true};
  const ScoreTerms scores =
      make_scheme(Alibi(), geometry, Scope(none), InitRandom())->begin(all).scores({.layer = 0});
  const RotationTerm rotation = rotation_of({}, all, 0);
  const Var expected =
      op::attention(op::rotate_queries(Var(q), rotation, 2), op::rotate_keys(Var(k), rotation, 2), Var(v),
                    all.sequences(), scores, {.heads = 2, .causal = true});
  const Rotator rotator(8);
  AttentionOptions options = {.heads = 2, .causal = true, .bias = alibi_bias(2, 8), .rotator = &rotator};
  EXPECT_EQ(attention(q, k, v, all, options).values(), expected.value().values());

  // The last token of the second sequence, with the keys before it.
  const Placement last = lengths({1}).after(lengths({7}));
  EXPECT_EQ(attention(q.rows(12, 13), k.rows(5, 13), v.rows(5, 13), last, options).values(),
            expected.value().rows(12, 13).values());
}

TEST(Fast, EmbedNormFollowsTheFormulaAndHasTheBitsOfTheOp) {
  const EmbedTables tables = {.tokens = normal({5, 12}, 12),
                              .positions = normal({4, 12}, 13),
                              .gamma = normal({12}, 14),
                              .beta = normal({12}, 15)};
  const std::vector<int32_t> ids = {4, 0, 4}, rows = {0, 3, 1};
  const std::vector<double> t = elements(tables.tokens), p = elements(tables.positions),
                            g = elements(tables.gamma), b = elements(tables.beta);
  std::vector<double> expected;
  for (size_t n = 0; n < 3; ++n) {
    std::vector<double> x;
    double mean = 0, variance = 0;
    for (size_t c = 0; c < 12; ++c) x.push_back(t[12 * ids[n] + c] + p[12 * rows[n] + c]);
    for (const double value : x) mean += value / 12;
    for (const double value : x) variance += (value - mean) * (value - mean) / 12;
    for (size_t c = 0; c < 12; ++c) {
      expected.push_back((x[c] - mean) / std::sqrt(variance + 1e-5) * g[c] + b[c]);
    }
  }
  const Tensor got = embed_norm(tables, ids, rows);
  expect_near(got, expected);
  const InputTerm input = {Var(tables.positions), Tensor::of({3}, rows)};
  const Var op = op::embed(Var(tables.tokens), Tensor::of({3}, ids), input,
                           {.gamma = Var(tables.gamma), .beta = Var(tables.beta), .eps = 1e-5f});
  EXPECT_EQ(got.values(), op.value().values());
  EXPECT_EQ(embed_norm({.tokens = tables.tokens}, {2, 1}).values(),
            op::embed(Var(tables.tokens), Tensor::of({2}, {2, 1}), std::nullopt, {}).value().values());
}

TEST(Fast, ErrorsOfTheRotatorNameWhatIsWrong) {
  const Rotator rotator(8);
  const Tensor x = Tensor::zeros({2, 16});
  expect_bad_shape({"Rotator", "head_size", "0", "4096"}, [] { Rotator(0); });
  expect_bad_argument({"Rotator", "max_length", "-1"}, [] { Rotator(8, {}, -1); });
  expect_error(Fault::usage, {"rotary", "width", "10", "8"}, [] { Rotator(8, {.width = 10}); });
  expect_error(Fault::usage, {"rotary", "7"}, [] { Rotator(7); });
  expect_error(Fault::usage, {"rotary", "base", "0.5"}, [] { Rotator(8, {.base = 0.5}); });
  expect_bad_shape({"Rotator", "x", "[2, 15]", "8"}, [&] { rotator.rotate(Tensor::zeros({2, 15}), {0, 1}); });
  expect_bad_shape({"Rotator", "x"}, [&] { rotator.rotate(Tensor(), {0, 1}); });
  expect_bad_shape({"x", "i32"}, [&] { rotator.rotate(Tensor::zeros({2, 16}, DType::i32), {0, 1}); });
  expect_bad_shape({"rows", "[3]", "2"}, [&] { rotator.rotate(x, {0, 1, 2}); });
  expect_bad_shape({"rows", "[3]", "2"}, [&] { rotator.rotate_back(x, lengths({3})); });
  expect_bad_position({"-4"}, [&] { rotator.rotate(x, {0, -4}); });
}

TEST(Fast, ErrorsOfTheFunctionsNameWhatIsWrong) {
  const Tensor x = Tensor::zeros({3, 16});
  const Placement three = lengths({3});
  const Rotator rotator(4);
  expect_bad_shape({"alibi_bias", "heads", "0"}, [] { alibi_bias(0, 4); });
  expect_bad_argument({"alibi_bias", "length", "0"}, [] { alibi_bias(2, 0); });
  expect_bad_argument({"alibi_bias", "head_size", "0"}, [] { alibi_bias(2, 4, {.scaled = true}); });
  expect_error(Fault::usage, {"alibi", "slopes", "3", "2"}, [] { alibi_bias(2, 4, {.slopes = {1, 2, 3}}); });
  expect_error(Fault::usage, {"alibi", "bias_max", "0"}, [] { alibi_bias(2, 4, {.bias_max = 0}); });
  const auto zero = [](int64_t, int64_t) { return 0.0; };
  expect_bad_argument({"distance_bias", "length", "9223372036854775807"},
                      [&] { distance_bias(2, std::numeric_limits<int64_t>::max(), zero); });
  expect_bad_shape({"distance_bias", "heads", "-1"}, [&] { distance_bias(-1, 2, zero); });

  expect_bad_shape({"attention", "q", "[3, 16]", "8", "2"},
                   [&] { attention(x, x, x, three, {.heads = 2, .rotator = &rotator}); });
  expect_bad_shape({"attention", "heads", "0"},
                   [&] { attention(x, x, x, three, {.heads = 0, .rotator = &rotator}); });
  expect_bad_argument({"attention", "q"}, [&] { attention(Tensor(), x, x, three, {.heads = 4}); });
  expect_bad_argument({"attention", "v"}, [&] { attention(x, x, Tensor(), three, {.heads = 4}); });
  expect_bad_shape({"attention", "key_heads", "3"},
                   [&] { attention(x, x, x, three, {.heads = 4, .key_heads = 3}); });
  expect_bad_position({"attention", "by_distance", "2"},
                      [&] { attention(x, x, x, three, {.heads = 4, .bias = alibi_bias(4, 2)}); });
  expect_bad_shape({"attention", "query_starts", "2", "3"},
                   [&] { attention(x, x, x, lengths({2}), {.heads = 4}); });

  const EmbedTables tables = {.tokens = Tensor::zeros({4, 8}), .positions = Tensor::zeros({3, 8})};
  expect_bad_token({"embed", "ids[1]", "4", "3"}, [&] { embed_norm(tables, {0, 4}, {0, 0}); });
  expect_bad_position({"embed", "rows[0]", "3", "2"}, [&] { embed_norm(tables, {0}, {3}); });
  expect_bad_shape({"embed", "[1]", "2"}, [&] { embed_norm(tables, {0, 1}, {0}); });
  expect_bad_argument({"embed_norm", "rows", "1"}, [&] { embed_norm({.tokens = tables.tokens}, {0}, {0}); });
  expect_bad_argument({"embed", "tokens"}, [&] { embed_norm({}, {0}); });
}

}  // namespace
}  // namespace locus::fast
