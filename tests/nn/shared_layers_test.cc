// A model with shared layers, compared to one with the same number of separate but equal layers.
#include <gtest/gtest.h>

#include <regex>

#include "locus/nn/generate.h"
#include "locus/nn/model.h"
#include "locus/op/elementwise.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

Blueprint blueprint(const std::string& scheme, ModelKind kind) {
  Blueprint b;
  b.kind = kind;
  b.head.kind = kind == ModelKind::encoder ? HeadKind::masked_token : HeadKind::next_token;
  b.vocabulary = 19;
  b.width = 24;
  b.attention.heads = 4;
  b.layers = 3;
  b.max_length = 32;
  b.scheme = scheme;
  b.attention.window =
      4;  // of all layers but the second: layers differ in their attention, not in their weights
  b.global.every = 3, b.global.first = 1;
  b.dropout = b.attention.dropout = 0.1f;
  b.shared_layers = true;
  b.init_std = 0.4f;  // wide enough that layers matter
  return b;
}

std::string name_of_first(const std::string& name) {
  return std::regex_replace(name, std::regex("layers\\.\\d+\\."), "layers.0.");
}

struct Pair {
  Model shared, apart;
  explicit Pair(Blueprint b) : shared(b, {.seed = 3}), apart((b.shared_layers = false, b), {.seed = 3}) {
    for (const NamedParameter& p : apart.parameters().all()) {
      const Tensor from = shared.parameters().at(name_of_first(p.name)).value();
      std::ranges::copy(from.data<float>(), p.var.value().data<float>().begin());
    }
  }
};

Var logits(const Model& model, const ForwardPass& pass) {
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < 22; ++i) ids.push_back(i * 7 % 19);
  const Tokens tokens = {Tensor::of({22}, ids), Placement::rectangle(2, 11), {}};
  return model.blueprint().kind == ModelKind::encoder_decoder ? model(tokens, tokens, pass)
                                                              : model(tokens, pass);
}

const std::pair<const char*, ModelKind> kCases[] = {{"learned", ModelKind::encoder},
                                                    {"deberta", ModelKind::encoder},
                                                    {"rotary", ModelKind::decoder},
                                                    {"shaw", ModelKind::decoder},
                                                    {"t5", ModelKind::encoder_decoder}};

TEST(SharedLayers, ComputeWhatEqualOnesDoAndGetTheSumOfTheirGradients) {
  for (const auto& [scheme, kind] : kCases) {
    for (const bool recompute : {false, true}) {
      SCOPED_TRACE(fmt::format("{}{}", scheme, recompute ? ", recomputed" : ""));
      const Pair pair(blueprint(scheme, kind));
      const ForwardPass pass = {.training = true, .recompute = recompute, .seed = 3, .step = 5};
      std::vector<std::vector<float>> values;
      for (const Model* model : {&pair.shared, &pair.apart}) {
        const Var out = logits(*model, pass);
        values.push_back(out.value().values());
        op::sum(op::multiply(out, out)).backward();
      }
      EXPECT_EQ(values[0], values[1]);
      std::map<std::string, std::vector<double>> sums;
      for (const NamedParameter& p : pair.apart.parameters().all()) {
        std::vector<double>& sum = sums[name_of_first(p.name)];
        const std::vector<float> grad = p.var.grad().values();
        sum.resize(grad.size());
        for (size_t i = 0; i < grad.size(); ++i) sum[i] += grad[i];
      }
      ASSERT_EQ(pair.shared.parameters().all().size(), sums.size());
      for (const NamedParameter& p : pair.shared.parameters().all()) {
        const std::vector<float> grad = p.var.grad().values();
        const std::vector<double>& sum = sums.at(p.name);
        const double largest =
            std::abs(*std::ranges::max_element(sum, {}, [](double x) { return std::abs(x); }));
        // A sum of three f32 numbers, which may be small compared to them.
        for (size_t i = 0; i < grad.size(); ++i) EXPECT_NEAR(grad[i], sum[i], 1e-5 * largest) << p.name;
      }
    }
  }
}

TEST(SharedLayers, KeepKeysOfTheirOwn) {
  const Pair pair(blueprint("rotary", ModelKind::decoder));
  const std::vector<std::vector<int32_t>> prompts = {{3, 5, 7}, {2}};
  const GenerateOptions options = {.max_tokens = 12};
  EXPECT_EQ(generate(pair.shared, prompts, options), generate(pair.apart, prompts, options));
}

TEST(SharedLayers, HaveTheWeightsOfOne) {
  Blueprint b = blueprint("learned", ModelKind::encoder);
  const int64_t three = Model(b).parameters().numel();
  b.layers = 1;
  EXPECT_EQ(Model(b).parameters().numel(), three);
  b.layers = 0;
  EXPECT_LT(Model(b).parameters().numel(), three);
}

TEST(SharedLayers, OfWhichTheFirstIsUnlikeTheOthersAreRefused) {
  Blueprint b = blueprint("rotary", ModelKind::decoder);
  b.norms.first = false;
  expect_error(Fault::usage, {"first_norm is false", "shared_layers"}, [&] { Model model(b); });
}

}  // namespace
}  // namespace locus::testing
