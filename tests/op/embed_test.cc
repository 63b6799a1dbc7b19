#include "locus/op/embed.h"

#include <functional>
#include <limits>

#include "locus/op/convert.h"
#include "locus/op/dropout.h"
#include "locus/op/gather.h"
#include "locus/op/layout.h"
#include "locus/op/norm.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using testing::normal_tensor;
using Vars = std::span<const Var>;
using Floats = std::vector<float>;

const Tensor kIds = Tensor::of({6}, {4, 0, 2, 4, 1, 4});
const Tensor kRows = Tensor::of({6}, {0, 1, 2, 0, 1, 2});
const Tensor kSegments = Tensor::of({6}, {0, 0, 1, 1, 1, 0});

InputTerm added(const Var& table) { return {.table = table, .rows = kRows}; }
InputTerm joined(const Var& table) { return {.table = table, .rows = kRows, .joined = true}; }

TEST(OpEmbed, TokensAlone) {
  check_op([](Vars in) { return embed(in[0], kIds, {}, {.token_scale = 2.5f}); }, {{{5, 7}}});
  check_op([](Vars in) { return embed(in[0], kIds, {}, {}); }, {{{5, 3}, 1, true}});
}

// Every bf16 number is exact in f32, so the result has the same bits. 2055 columns exceed the kernel's row
// buffer.
TEST(OpEmbed, TokensOfBf16AreThoseNumbers) {
  for (const Device device : {Device::cpu, Device::reference}) {
    for (const int64_t C : {7, 2055}) {
      const auto random = [&](const Shape& shape, uint64_t seed) {
        return Var(normal_tensor(shape, device, seed));
      };
      const Tensor half = convert(normal_tensor({5, C}, Device::cpu, 1), DType::bf16).on(device);
      const Var wide(convert(half, device == Device::cpu ? DType::f32 : DType::f64));
      const InputTerm positions = added(random({3, C}, 2)), more = joined(random({3, 4}, 3));
      const EmbedOptions normed = {.token_scale = 1.5f,
                                   .segments = random({2, C}, 4),
                                   .segment_ids = kSegments,
                                   .gamma = random({C}, 5),
                                   .beta = random({C}, 6),
                                   .eps = 1e-5f};
      for (const auto& f : std::vector<std::function<Var(const Var&)>>{
               [&](const Var& tokens) { return embed(tokens, kIds, {}, {.token_scale = 2.5f}); },
               [&](const Var& tokens) { return embed(tokens, kIds, positions, normed); },
               [&](const Var& tokens) { return embed(tokens, kIds, more, {}); }}) {
        const Tensor got = f(Var(half)).value(), wanted = f(wide).value();
        EXPECT_EQ(got.dtype(), wanted.dtype());
        EXPECT_EQ(got.values(), wanted.values()) << C;
      }
    }
  }
}

TEST(OpEmbed, AddedTermSegmentsNorm) {
  check_op([](Vars in) { return embed(in[0], kIds, added(in[1]), {}); }, {{{5, 7}}, {{3, 7}}});
  check_op(
      [](Vars in) {
        return embed(in[0], kIds, added(in[1]),
                     {.token_scale = 1.5f,
                      .segments = in[2],
                      .segment_ids = kSegments,
                      .gamma = in[3],
                      .beta = in[4],
                      .eps = 1e-5f});
      },
      {{{5, 9}}, {{3, 9}}, {{2, 9}}, {{9}}, {{9}}});
  check_op(
      [](Vars in) { return embed(in[0], kIds, added(in[1]), {.gamma = in[2], .eps = 1e-6f, .rms = true}); },
      {{{5, 8}}, {{3, 8}}, {{8}}});
}

TEST(OpEmbed, JoinedTermSegmentsNorm) {
  check_op([](Vars in) { return embed(in[0], kIds, joined(in[1]), {.token_scale = 3}); },
           {{{5, 7}}, {{3, 2}}});
  check_op(
      [](Vars in) {
        return embed(
            in[0], kIds, joined(in[1]),
            {.segments = in[2], .segment_ids = kSegments, .gamma = in[3], .beta = in[4], .eps = 1e-5f});
      },
      {{{5, 5}}, {{3, 4}}, {{2, 9}}, {{9}}, {{9}}});
}

TEST(OpEmbed, Dropout) {
  check_op([](Vars in) { return embed(in[0], kIds, {}, {.dropout = 0.3f, .random = {7, 8}}); }, {{{5, 11}}});
  check_op(
      [](Vars in) {
        return embed(in[0], kIds, added(in[1]),
                     {.gamma = in[2], .beta = in[3], .eps = 1e-5f, .dropout = 0.3f, .random = {7, 8}});
      },
      {{{5, 11}}, {{3, 11}}, {{11}}, {{11}}});
}

TEST(OpEmbed, NoTokens) {
  const Var tokens = Var::parameter(Tensor::full({2, 3}, 1)), gamma = Var::parameter(Tensor::full({3}, 1));
  const Var y = embed(tokens, Tensor::zeros({0}, DType::i32), {}, {.gamma = gamma});
  EXPECT_EQ(y.shape(), (Shape{0, 3}));
  y.backward(Tensor::zeros({0, 3}));
  EXPECT_EQ(tokens.grad().values(), (Floats(6, 0)));
  EXPECT_EQ(gamma.grad().values(), (Floats(3, 0)));
}

// The fused op equals the separate ops: the same mask, the same numbers.
TEST(OpEmbed, EqualsItsParts) {
  const auto at = [](uint64_t seed, Shape shape) {
    return Var(testing::normal_tensor(shape, Device::cpu, seed));
  };
  const Var tokens = at(1, {5, 6}), positions = at(2, {3, 4}), gamma = at(3, {10}), beta = at(4, {10});
  const Random random(5, 6);
  const Var once = embed(tokens, kIds, joined(positions),
                         {.gamma = gamma, .beta = beta, .eps = 1e-5f, .dropout = 0.4f, .random = random});
  const Var parts = dropout(
      layer_norm(join({gather(tokens, kIds), gather(positions, kRows)}), gamma, beta, 1e-5f), 0.4f, random);
  EXPECT_EQ(once.value().values(), parts.value().values());
}

TEST(OpEmbed, FrozenRowsGetNoGradient) {
  const Var tokens = Var::parameter(Tensor::full({3, 1}, 1)), table = Var::parameter(Tensor::full({2, 1}, 1));
  const InputTerm term = {.table = table, .rows = Tensor::of({4}, {0, 1, 1, 0})};
  const Var y = embed(tokens, Tensor::of({4}, {2, 0, 2, 1}), term, {.frozen_token = 2, .frozen_row = 0});
  y.backward(Tensor::of({4, 1}, {1.0f, 2.0f, 4.0f, 8.0f}));
  EXPECT_EQ(tokens.grad().values(), (Floats{2, 8, 0}));
  EXPECT_EQ(table.grad().values(), (Floats{0, 6}));
}

// A table that is used twice, as with tied output weights: the second gradient is added to the first in
// place.
TEST(OpEmbed, AddsToAGradientInPlace) {
  const Var tokens = Var::parameter(Tensor::full({3, 2}, 1));
  const Tensor ids = Tensor::of({2}, {2, 0});
  embed(tokens, ids, {}, {}).backward(Tensor::full({2, 2}, 1));
  const void* memory = tokens.grad().view().data;
  embed(tokens, ids, {}, {.token_scale = 3}).backward(Tensor::full({2, 2}, 1));
  EXPECT_EQ(tokens.grad().values(), (Floats{4, 4, 0, 0, 4, 4}));
  EXPECT_EQ(tokens.grad().view().data, memory);
}

// A gradient that another tensor shares is not modified.
TEST(OpEmbed, LeavesASharedGradientAlone) {
  const Var tokens = Var::parameter(Tensor::full({2, 1}, 1));
  const Tensor ids = Tensor::of({1}, {1});
  embed(tokens, ids, {}, {}).backward(Tensor::full({1, 1}, 1));
  const Tensor before = tokens.grad();
  embed(tokens, ids, {}, {}).backward(Tensor::full({1, 1}, 1));
  EXPECT_EQ(before.values(), (Floats{0, 1}));
  EXPECT_EQ(tokens.grad().values(), (Floats{0, 2}));
}

void expect_refused(Code code, std::initializer_list<const char*> values, const EmbedOptions& options,
                    const std::optional<InputTerm>& input = {}) {
  const Var tokens(Tensor::zeros({5, 4}));
  expect_error(Fault::data, code, values, [&] { embed(tokens, kIds, input, options); });
}

TEST(OpEmbed, RefusesWrongLookups) {
  const Var tokens(Tensor::zeros({5, 4})), table(Tensor::zeros({3, 4}));
  expect_bad_argument({"embed", "tokens"}, [&] { embed({}, kIds, {}, {}); });
  expect_bad_shape({"embed", "tokens", "[5]", "[rows, columns]"},
                   [&] { embed(Var(Tensor::zeros({5})), kIds, {}, {}); });
  const Var half(Tensor::zeros({5, 7}, DType::bf16)),
      elsewhere(Tensor::zeros({7}, DType::f64, Device::reference));
  expect_bad_argument({"embed", "tokens", "bf16", "f32"},
                      [&] { embed(half, kIds, {}, {.gamma = Var::parameter(Tensor::full({7}, 1))}); });
  expect_bad_shape({"embed", "tokens", "bf16", "cpu", "gamma", "reference"},
                   [&] { embed(half, kIds, {}, {.gamma = elsewhere}); });
  expect_bad_argument({"embed", "ids"}, [&] { embed(tokens, {}, {}, {}); });
  expect_bad_token({"embed", "ids[1]", "5", "0", "4"}, [&] {
    embed(tokens, Tensor::of({2}, {0, 5}), {}, {});
  });
  expect_bad_shape({"embed", "ids", "[1, 2]", "[2]"}, [&] {
    embed(tokens, Tensor::of({1, 2}, {0, 1}), {}, {});
  });
  expect_refused(Code::none, {"embed", "the input term's table"}, {}, InputTerm{.rows = kRows});
  expect_refused(Code::bad_position, {"embed", "the input term's rows[2]", "2", "0", "1"}, {},
                 added(Var(Tensor::zeros({2, 4}))));
  expect_refused(Code::bad_shape, {"embed", "the input term's rows", "[2]", "[6]"}, {},
                 InputTerm{.table = table, .rows = Tensor::of({2}, {0, 1})});
  expect_refused(Code::bad_shape, {"embed", "the input term's table", "[3, 5]", "[rows, 4]"}, {},
                 added(Var(Tensor::zeros({3, 5}))));
  expect_refused(Code::bad_shape, {"embed", "segments", "[2, 4]", "[2, 9]"},
                 {.segments = Var(Tensor::zeros({2, 4})), .segment_ids = kSegments},
                 joined(Var(Tensor::zeros({3, 5}))));
  expect_refused(Code::none, {"embed", "segment_ids"}, {.segments = table});
  expect_refused(Code::none, {"embed", "segment_ids", "segments"}, {.segment_ids = kSegments});
}

TEST(OpEmbed, RefusesWrongOptions) {
  const Var four(Tensor::zeros({4})), five(Tensor::zeros({5}));
  expect_refused(Code::none, {"embed", "frozen_token", "5", "0", "4", "-1"}, {.frozen_token = 5});
  expect_refused(Code::none, {"embed", "frozen_row", "-2", "0", "2", "-1"}, {.frozen_row = -2},
                 added(Var(Tensor::zeros({3, 4}))));
  expect_refused(Code::bad_shape, {"embed", "gamma", "[5]", "[4]"}, {.gamma = five});
  expect_refused(Code::bad_shape, {"embed", "beta", "[5]", "[4]"}, {.gamma = four, .beta = five});
  expect_refused(Code::none, {"embed", "beta", "gamma"}, {.beta = four});
  expect_refused(Code::none, {"embed", "rms", "gamma"}, {.rms = true});
  expect_refused(Code::none, {"embed", "beta", "RMS norm"}, {.gamma = four, .beta = four, .rms = true});
  expect_refused(Code::none, {"embed", "eps", "-1", "0"}, {.gamma = four, .eps = -1});
  expect_refused(Code::none, {"embed", "token_scale", "inf"},
                 {.token_scale = std::numeric_limits<float>::infinity()});
  expect_refused(Code::none, {"embed", "dropout", "0", "1"}, {.dropout = 1});
  expect_bad_shape({"embed", "0", "1"}, [&] {
    embed(Var(Tensor::zeros({5, 0})), kIds, {}, {.gamma = Var(Tensor::zeros({0}))});
  });
}

}  // namespace
}  // namespace locus::op
