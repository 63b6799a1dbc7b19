#include "locus/nn/blueprint.h"

#include <gtest/gtest.h>

#include "locus/nn/model.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

TEST(Blueprint, WrittenAndReadBackIsTheSame) {
  Blueprint b;
  b.kind = ModelKind::encoder_decoder;
  b.residual = Residual::sequential;
  b.norms.kind = NormKind::rms;
  b.norms.eps = 1e-12f;
  b.feed_forward.activation = Activation::silu;
  b.scheme = "rotary";
  b.scheme_options = {{"base", "500000"}};
  const Blueprint again = blueprint_of("test", values_of(b));
  EXPECT_EQ(values_of(again), values_of(b));
  EXPECT_EQ(again.scheme_options.at("base"), "500000");
  EXPECT_EQ(again.norms.eps, 1e-12f);
}

TEST(Blueprint, AllProblemsAreReportedTogether) {
  Blueprint b;
  b.kind = ModelKind::encoder;
  b.width = 130;
  b.attention.key_heads = 3;
  b.global.every = 2;
  b.embedding.padding_token = 256;
  b.scheme = "rotray";
  expect_error(Fault::usage,
               {"blueprint", "6 problems", "width is 130", "heads = 4", "head_size", "key_heads is 3",
                "head is next_token", "masked_token", "global_every is 2", "padding_token is 256",
                "vocabulary = 256", "'rotray'", "'rotary'"},
               [&] { Model model(b); });
}

TEST(Blueprint, AHeadIsNoLargerThanAttentionTakes) {
  Blueprint b;
  b.attention.head_size = 4097;
  expect_error(Fault::usage, {"4097", "4096"}, [&] { Model model(b); });
}

TEST(Blueprint, NormsThatDoNotGoTogetherAreRefused) {
  Blueprint b;
  b.attention.head_norms = b.attention.joint_norms = true;
  b.norms.place = NormPlace::added;
  b.norms.first = false;
  expect_error(Fault::usage,
               {"blueprint", "2 problems", "head_norms", "joint_norms", "first_norm is false", "norm_place"},
               [&] { Model model(b); });
}

TEST(Blueprint, CapsThatCannotBeAreRefused) {
  Blueprint b;
  b.attention.cap = 1e-9f;
  b.head.cap = 30;
  b.head.bias = true;
  expect_error(Fault::usage, {"1e-09", "1e-6", "0", "logit_cap is 30", "head_bias"}, [&] { Model model(b); });
}

TEST(Blueprint, AnUnknownFieldAndAnUnknownOptionOfTheSchemeAreRefused) {
  expect_error(Fault::usage, {"model.toml", "2 problems", "heads", "'0'", "1", "10000", "'depht'"}, [] {
    blueprint_of("model.toml", {{"depht", "2"}, {"heads", "0"}});
  });
  expect_error(Fault::usage, {"model.toml", "alibi", "'slops'", "'slopes'"}, [] {
    blueprint_of("model.toml", {{"scheme.name", "alibi"}, {"scheme.slops", "2"}});
  });
}

TEST(Blueprint, NumbersSetFromCodeAreHeldToTheSameLimits) {
  Blueprint b;
  b.attention.heads = 0;
  expect_error(Fault::usage, {"blueprint", "heads", "'0'", "1", "10000"}, [&] { Model model(b); });
}

TEST(Blueprint, ZeroIsTheTextOfAFieldThatIsNotSet) {
  const Blueprint b = blueprint_of("test", {{"key_heads", "0"}, {"init_std", "0"}, {"padding_token", "-1"}});
  EXPECT_TRUE(b == Blueprint());
  EXPECT_EQ(values_of(b).at("key_heads"), "0");
  EXPECT_EQ(values_of(b).at("padding_token"), "-1");
}

TEST(Blueprint, ZeroSetFromCodeInAnOptionalFieldIsRefused) {
  for (const auto& set : {+[](Blueprint& b) { b.attention.key_heads = 0; },
                          +[](Blueprint& b) { b.embedding.padding_token = -1; }}) {
    Blueprint b;
    set(b);
    expect_error(Fault::usage, {"blueprint", "optional field", "no value"}, [&] { Model model(b); });
  }
}

TEST(Blueprint, ASchemeThatJoinsColumnsOnTakesThemFromTheTokens) {
  Blueprint b;
  b.scheme = "learned";
  b.scheme_options = {{"combine", "joined"}, {"width", "28"}};
  expect_error(Fault::data, {"tied", "100", "128"}, [&] { Model model(b); });
  b.head.tied = false;
  EXPECT_EQ(Model(b).parameters().at("tokens").shape(), (Shape{256, 100}));
  b.scheme_options = {{"combine", "joined"}};
  expect_error(Fault::data, {"scheme", "128 columns", "128", "width"}, [&] { Model model(b); });
}

TEST(Blueprint, TokenRowsOfAWidthOfTheirOwnAreProjectedToThatOfTheStates) {
  Blueprint b{.kind = ModelKind::encoder, .scheme = "learned", .embedding = {.width = 24}};
  b.head.kind = HeadKind::masked_token;
  expect_error(Fault::data, {"tied", "24", "128"}, [&] { Model model(b); });
  b.head.dense = true;
  const Model narrow(b);
  EXPECT_EQ(narrow.parameters().at("tokens").shape(), (Shape{256, 24}));
  EXPECT_EQ(narrow.parameters().at("encoder.scheme.table").shape(), (Shape{256, 24}));
  EXPECT_EQ(narrow.parameters().at("encoder.embedding.project.weight").shape(), (Shape{128, 24}));
  EXPECT_EQ(narrow.parameters().at("head.dense.weight").shape(), (Shape{24, 128}));
  b.scheme = "deberta";
  EXPECT_EQ(Model(b).parameters().at("encoder.scheme.table").shape()[1], 128) << "it adds to scores";
}

TEST(Blueprint, LayersThatSeeAllMayHaveASchemeOfTheirOwn) {
  const OptionValues values = {{"layers", "3"},
                               {"window", "4"},
                               {"global_every", "2"},
                               {"scheme.name", "rotary"},
                               {"scheme.base", "500"},
                               {"global_scheme.name", "t5"},
                               {"global_scheme.buckets", "8"}};
  const Blueprint b = blueprint_of("test", values);
  EXPECT_EQ(values_of(blueprint_of("again", values_of(b))), values_of(b));

  const Model model(b);
  const Tensor table = model.parameters().at("decoder.global_scheme.table").value();
  EXPECT_EQ(table.numel(), 8 * b.attention.heads);
  const auto weights = [](const Model& m) {
    Trace trace;
    m({.ids = Tensor::of({6}, std::vector<int32_t>{1, 2, 3, 4, 5, 6}),
       .placement = Placement::rectangle(1, 6)},
      {.trace = &trace});
    return trace.weights;
  };
  const std::vector<Tensor> before = weights(model);
  for (int64_t i = 0; i < table.numel(); ++i) table.data<float>()[i] = static_cast<float>(i);
  const std::vector<Tensor> after = weights(model);
  EXPECT_NE(after[0].values(), before[0].values());
  EXPECT_EQ(after[1].data<float>()[5 * 6 + 1], 0) << "the fifth key back is outside the window";
  EXPECT_GT(after[2].data<float>()[5 * 6 + 1], 0);
}

TEST(Blueprint, LayersMayDifferInTheirSchemeAlone) {
  const Model model(blueprint_of(
      "test",
      {{"global_every", "2"}, {"scheme.name", "rotary"}, {"global_scheme.name", "none"}, {"init_std", "1"}}));
  const auto weights = [&](const std::vector<int32_t>& positions) {
    Trace trace;
    model({.ids = Tensor::of({3}, std::vector<int32_t>{1, 2, 3}),
           .placement = Placement::given(Tensor::of({1, 3}, positions))},
          {.trace = &trace});
    return trace.weights;
  };
  const std::vector<Tensor> near = weights({0, 1, 2}), far = weights({0, 5, 9});
  EXPECT_EQ(near[0].values(), far[0].values());
  EXPECT_NE(near[1].values(), far[1].values());
}

TEST(Blueprint, AGlobalSchemeActsOnAttentionAndNeedsGlobalLayers) {
  Blueprint b;
  b.global.scheme = "learned";
  expect_error(Fault::usage, {"2 problems", "global_scheme is learned", "global_every is 0", "1", "input"},
               [&] { Model model(b); });
  b.attention.window = 3;
  b.global.every = 2;
  b.global.scheme = "sinusoidal+t5";
  expect_error(Fault::usage, {"global_scheme is sinusoidal+t5", "input"}, [&] { Model model(b); });
  b.global.scheme = "";
  b.global.scheme_options = {{"base", "3"}};
  expect_error(Fault::usage, {"global_scheme.name"}, [&] { Model model(b); });
}

TEST(Blueprint, ModelsThatDifferInTheSchemeStartEqualInAllElse) {
  Blueprint b;
  b.scheme = "learned";
  Model one(b, {.seed = 5});
  b.scheme = "t5";
  Model two(b, {.seed = 5}), three(b, {.seed = 6});
  const std::string name = "decoder.layers.1.feed_forward.up.weight";
  EXPECT_EQ(one.parameters().at(name).value().values(), two.parameters().at(name).value().values());
  EXPECT_NE(two.parameters().at(name).value().values(), three.parameters().at(name).value().values());
}

TEST(Blueprint, TheInitStdFollowsFromTheWidth) {
  Blueprint b{.width = 64, .head = {.kind = HeadKind::sequence_class}};
  EXPECT_FLOAT_EQ(b.initial_std(), 0.125f);
  b.head.kind = HeadKind::masked_token;
  EXPECT_FLOAT_EQ(b.initial_std(), 0.07905694f);
  b.init_std = 0.02f;
  EXPECT_FLOAT_EQ(b.initial_std(), 0.02f);
}

}  // namespace
}  // namespace locus::testing
