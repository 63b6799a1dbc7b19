#include "locus/op/attention.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "locus/tensor/storage.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;

Tensor range(int32_t count) {
  std::vector<int32_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::of({count}, values);
}

// One sequence whose last `queries` tokens attend to all `keys`.
Sequences one_sequence(int32_t queries, int32_t keys) {
  Tensor positions = range(queries);
  for (int32_t& p : positions.data<int32_t>()) p += keys - queries;
  return {.query_starts = Tensor::of({2}, {0, queries}),
          .key_starts = Tensor::of({2}, {0, keys}),
          .query_positions = positions,
          .key_positions = range(keys),
          .longest_keys = keys};
}

Var ones(Shape shape) { return Var(Tensor::full(shape, 1)); }

// Gradients of every input and every table of the terms, by finite differences: two heads with one key head,
// three queries, five keys.
TEST(OpAttention, Gradients) {
  const Sequences sequences = one_sequence(3, 5);
  const Tensor slots = Tensor::of({9}, {0, 0, 0, 1, 1, 2, 2, 3, 3});
  for (const bool causal : {false, true}) {
    check_op(
        [&](Vars in) {
          ScoreTerms terms = {.by_distance = DistanceTerm{in[3], 4},
                              .by_query = SlotTerm{in[4], slots, 4},
                              .by_key = SlotTerm{in[5], slots, 4},
                              .dense = in[6]};
          return attention(in[0], in[1], in[2], sequences, terms,
                           {.heads = 2, .key_heads = 1, .causal = causal});
        },
        {{{3, 8}}, {{5, 4}}, {{5, 4}}, {{2, 9}}, {{4, 8}}, {{4, 4}}, {{2, 15}}}, 1e-5);
  }
}

// A generation step reads the keys from the cache in place. It gives the same bits as a pass over the whole
// text.
TEST(OpAttention, AQueryAloneHasTheBitsItHasAmongOthers) {
  const auto normal = [](Shape shape, uint64_t seed) {
    return testing::normal_tensor(shape, Device::cpu, seed);
  };
  for (const int32_t keys : {2, 15, 16, 47, 256, 700}) {
    for (const int64_t head_size : {64, 22, 3}) {
      for (const int64_t window : {0, 9}) {
        SCOPED_TRACE(::testing::Message() << keys << " keys, " << head_size << " wide, window " << window);
        const Tensor q = normal({keys, 2 * head_size}, 1);
        const Var k(normal({keys, head_size}, 2)), v(normal({keys, head_size}, 3));
        for (const bool contiguous : {true, false}) {
          const auto attend = [&](int32_t queries, float cap) {
            Sequences sequences = one_sequence(queries, keys);
            sequences.contiguous = contiguous;
            return attention(Var(q.rows(keys - queries, keys)), k, v, sequences,
                             {.by_distance = DistanceTerm{Var(normal({2, 2 * keys - 1}, 4)), keys - 1}},
                             {.heads = 2, .key_heads = 1, .cap = cap, .causal = true, .window = window})
                .value();
          };
          for (const float cap : {0.0f, 1.5f}) {
            EXPECT_EQ(attend(1, cap).values(), attend(keys, cap).rows(keys - 1, keys).values()) << cap;
          }
        }
      }
    }
  }
}

TEST(OpAttention, GradientsUnderACap) {
  const Sequences sequences = one_sequence(3, 5);
  check_op(
      [&](Vars in) {
        return attention(in[0], in[1], in[2], sequences, {.by_distance = DistanceTerm{in[3], 4}},
                         {.heads = 2, .cap = 0.8f, .causal = true});
      },
      {{{3, 8}}, {{5, 8}}, {{5, 8}}, {{2, 9}}}, 1e-5);
}

// c tanh(score / c) of 3 and -1 with a cap of 2. Keys hidden by a dense term stay hidden and get no gradient.
TEST(OpAttention, ACapBendsScoresAndHidesNothingLess) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  for (const Device device : {Device::cpu, Device::reference}) {
    const Var q = Var::parameter(Tensor::of({1, 1}, {1.0f}).on(device));
    const Var k(Tensor::of({3, 1}, {3.0f, -1.0f, 5.0f}).on(device)),
        v(Tensor::of({3, 1}, {1.0f, 0.0f, 9.0f}).on(device));
    const Var dense(Tensor::of({1, 3}, {0.0f, 0.0f, kHidden}).on(device));
    const Var out =
        attention(q, k, v, one_sequence(1, 3), {.dense = dense}, {.heads = 1, .scale = 1, .cap = 2});
    const double first = 2 * std::tanh(1.5), second = 2 * std::tanh(-0.5);
    const double weight = 1 / (1 + std::exp(second - first));
    EXPECT_NEAR(out.value().values()[0], weight, 1e-6);
    out.backward(Tensor::full({1, 1}, 1).on(device));
    const double slope = 3 * (1 - first * first / 4) + (1 - second * second / 4);
    EXPECT_NEAR(q.grad().values()[0], weight * (1 - weight) * slope, 1e-6);
  }
}

TEST(OpAttention, GradientsThroughDropout) {
  const Sequences sequences = one_sequence(4, 4);
  check_op(
      [&](Vars in) {
        return attention(in[0], in[1], in[2], sequences, {},
                         {.heads = 1, .dropout = 0.4f, .random = Random(3, 1)});
      },
      {{{4, 3}}, {{4, 3}}, {{4, 3}}}, 1e-5);
}

TEST(OpAttention, OneKeyGivesItsValue) {
  const Var v(Tensor::of({1, 2}, {3.0f, -4.0f}));
  const Var out = attention(ones({1, 2}), ones({1, 2}), v, one_sequence(1, 1), {}, {.heads = 1});
  EXPECT_EQ(out.value().values(), (std::vector<float>{3, -4}));
}

TEST(OpAttention, NoKeysGiveZeros) {
  const Sequences sequences = {.query_starts = Tensor::of({2}, {0, 2}),
                               .key_starts = Tensor::of({2}, {0, 0}),
                               .query_positions = range(2),
                               .key_positions = range(0)};
  const Var q = Var::parameter(Tensor::full({2, 4}, 1));
  const Var out = attention(q, ones({0, 4}), ones({0, 4}), sequences, {}, {.heads = 2});
  EXPECT_EQ(out.value().values(), std::vector<float>(8, 0));
  out.backward(Tensor::full({2, 4}, 1));
  EXPECT_EQ(q.grad().values(), std::vector<float>(8, 0));
}

// exp() of these scores would overflow: the softmax subtracts the maximum first.
TEST(OpAttention, LargeScoresStayFinite) {
  const Var q(Tensor::of({1, 1}, {1000.0f})), k(Tensor::of({2, 1}, {1000.0f, -1000.0f}));
  const Var v(Tensor::of({2, 1}, {5.0f, 7.0f}));
  EXPECT_EQ(attention(q, k, v, one_sequence(1, 2), {}, {.heads = 1}).value().values(), std::vector<float>{5});
}

// Memory of one forward and backward pass with all terms but the dense one: eight times the length may take a
// little more than eight times the memory. A length x length matrix would take 64 times.
TEST(OpAttention, MemoryGrowsWithTheLengthOnly) {
  const auto peak = [](int32_t length) {
    const Sequences sequences = one_sequence(length, length);
    std::vector<int32_t> slots;
    for (int32_t d = 1 - length; d < length; ++d) slots.push_back(std::clamp(d, -4, 4) + 4);
    const auto S = static_cast<int64_t>(slots.size());
    const auto parameter = [](Shape shape) { return Var::parameter(Tensor::full(shape, 0.01f)); };
    const Var q = parameter({length, 16}), k = parameter({length, 16}), v = parameter({length, 16});
    const ScoreTerms terms = {.by_distance = DistanceTerm{parameter({2, S}), length - 1},
                              .by_query = SlotTerm{parameter({9, 16}), Tensor::of({S}, slots), length - 1},
                              .by_key = SlotTerm{parameter({9, 16}), Tensor::of({S}, slots), length - 1}};
    reset_peak_bytes();
    const int64_t before = allocated_bytes();
    const Var out = attention(q, k, v, sequences, terms, {.heads = 2, .causal = true});
    out.backward(Tensor::full({length, 16}, 1));
    return peak_bytes() - before;
  };
  const int64_t small = peak(1024), large = peak(8192);
  EXPECT_LT(large, small * 8 * 11 / 10) << small << " bytes at 1,024 tokens";
}

// A dense term may be a mask that hides all keys from a query.
TEST(OpAttention, AQueryThatSeesNothingGivesZerosAndGetsNone) {
  const auto parameter = [](Shape shape) { return Var::parameter(Tensor::full(shape, 1)); };
  const Var q = parameter({2, 4}), k = parameter({2, 4}), v = parameter({2, 4});
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  const ScoreTerms terms = {.dense = Var(Tensor::of({1, 4}, {kHidden, kHidden, 0.0f, kHidden}))};
  const Var out = attention(q, k, v, one_sequence(2, 2), terms, {.heads = 1});
  EXPECT_EQ(out.value().values(), (std::vector<float>{0, 0, 0, 0, 1, 1, 1, 1}));
  out.backward(Tensor::full({2, 4}, 1));
  EXPECT_EQ(v.grad().values(), (std::vector<float>{1, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(q.grad().values(), std::vector<float>(8, 0));
}

struct BadCall {
  Var q = ones({3, 8}), k = ones({3, 8}), v = ones({3, 8});
  Sequences sequences = one_sequence(3, 3);
  ScoreTerms terms;
  AttentionOptions options = {.heads = 2};
  void expect(Code code, std::initializer_list<const char*> values) const {
    expect_error(Fault::data, code, values, [&] { attention(q, k, v, sequences, terms, options); });
  }
};

TEST(OpAttention, RefusesHeadsThatDoNotDivide) {
  BadCall f;
  f.options.heads = 3;
  f.expect(Code::bad_shape, {"attention", "q", "[3, 8]", "3"});
  f.options = {.heads = 4, .key_heads = 3};
  f.expect(Code::bad_shape, {"attention", "key_heads", "3", "4"});
}

TEST(OpAttention, RefusesShapesThatDoNotMatch) {
  BadCall f;
  f.k = ones({3, 6});
  f.expect(Code::bad_shape, {"attention", "k", "[3, 6]", "[3, 8]"});
  f = {};
  f.v = ones({2, 8});
  f.expect(Code::bad_shape, {"attention", "v", "[2, 8]", "[3, 8]"});
  f = {};
  f.q = ones({3, 2, 4});
  f.expect(Code::bad_shape, {"attention", "q", "[3, 2, 4]", "[tokens, heads * head size]"});
}

TEST(OpAttention, RefusesSequencesThatDoNotCover) {
  BadCall f;
  f.sequences = one_sequence(2, 3);
  f.expect(Code::bad_shape, {"attention", "query_starts", "0", "2", "3"});
  f.sequences = one_sequence(3, 3);
  f.sequences.longest_keys = 2;
  f.expect(Code::none, {"attention", "sequence 0", "3", "2"});
  f.sequences = one_sequence(3, 3);
  f.sequences.key_positions = range(2);
  f.expect(Code::bad_shape, {"attention", "positions", "i32", "[3]"});
}

TEST(OpAttention, RefusesSequencesOfAnotherShape) {
  BadCall f;
  f.sequences.query_starts = Tensor::of({2, 1}, {0, 3});
  f.expect(Code::bad_shape, {"attention", "query_starts", "i32", "[sequences + 1]"});
  f = {};
  f.sequences.key_positions = range(3).reshape({3, 1});
  f.expect(Code::bad_shape, {"attention", "positions", "i32", "[3]"});
}

TEST(OpAttention, RefusesPositionsThatAreNotContiguous) {
  BadCall f;
  f.sequences.key_positions = Tensor::of({3}, {0, 2, 4});
  f.expect(Code::bad_position, {"attention", "sequence 0", "contiguous"});
  f.sequences.contiguous = false;
  EXPECT_NO_THROW(attention(f.q, f.k, f.v, f.sequences, f.terms, f.options));
}

TEST(OpAttention, RefusesCausalWithMoreQueriesThanKeys) {
  BadCall f;
  f.sequences.key_starts = Tensor::of({2}, {0, 2});
  f.sequences.key_positions = range(2);
  f.k = f.v = ones({2, 8});
  f.options.causal = true;
  f.expect(Code::none, {"attention", "sequence 0", "3", "2"});
}

TEST(OpAttention, RefusesTablesThatAreTooShort) {
  BadCall f;
  f.terms.by_distance = DistanceTerm{ones({2, 4}), 2};
  f.expect(Code::bad_position, {"attention", "by_distance", "-2", "1", "2"});
  f.options.causal = true;  // kernels compute whole blocks of scores and apply the mask after that
  f.expect(Code::bad_position, {"attention", "by_distance", "-2", "1", "2"});
  f.terms.by_distance = DistanceTerm{ones({3, 5}), 2};
  f.expect(Code::bad_shape, {"attention", "by_distance", "[3, 5]", "[2, 5]"});
  f.terms = {.by_query = SlotTerm{ones({2, 8}), Tensor::of({5}, {0, 0, 1, 1, 2}), 2}};
  f.expect(Code::bad_position, {"attention", "slots[4]", "2", "0", "1"});
  f.terms = {.by_query = SlotTerm{ones({2, 8}), Tensor::of({5, 1}, {0, 0, 1, 1, 1}), 2}};
  f.expect(Code::bad_shape, {"attention", "slots", "[5, 1]", "[distances]"});
  f.terms = {.by_key = SlotTerm{ones({2, 5}), Tensor::of({5}, {0, 0, 1, 1, 1}), 2}};
  f.expect(Code::bad_shape, {"attention", "by_key", "[2, 5]", "[slots, 4]", "[slots, 8]"});
  f.terms = {.dense = ones({2, 8})};
  f.expect(Code::bad_shape, {"attention", "dense", "[2, 8]", "[2, 9]"});
}

TEST(OpAttention, RefusesOptionsOutOfRange) {
  BadCall f;
  f.options.dropout = 1;
  f.expect(Code::none, {"attention", "dropout", "0", "1"});
  f.options = {.heads = 2, .window = -3};
  f.expect(Code::none, {"attention", "window", "-3", "0"});
  for (const float cap : {-1.0f, 1e-9f, std::numeric_limits<float>::quiet_NaN()}) {
    f.options = {.heads = 2, .cap = cap};
    f.expect(Code::none, {"attention", "cap", "1e-6", "1e6", "0"});
  }
  for (const float scale : {-1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    f.options = {.heads = 2, .scale = scale};
    f.expect(Code::none, {"attention", "scale", "0", "1 / sqrt(head size)"});
  }
}

}  // namespace
}  // namespace locus::op
