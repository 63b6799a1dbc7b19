// Compares whole models with the golden files of tools/golden/models.py: logits, loss, and every gradient.
#include <gtest/gtest.h>

#include "locus/checkpoint/safetensors.h"
#include "locus/nn/model.h"
#include "locus/op/cross_entropy.h"
#include "locus/op/elementwise.h"
#include "tests/nn/golden_model.h"
#include "tests/other_device.h"

namespace locus::testing {
namespace {

// f32 compared to f32: a few hundred roundings of 2^-24 each, amplified by two layers with large weights.
constexpr double kForward = 2e-5, kGradient = 2e-4;

class GoldenModels : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(OnADevice, GoldenModels, ::testing::Values(Device::cpu, other_device()),
                         [](const auto& device) { return std::string(name_of(device.param)); });

TEST_P(GoldenModels, DecoderComputesLogitsLossAndEveryGradient) {
  GoldenModel golden("decoder", GetParam());
  const Tensor ids = golden.read("ids");
  const Placement placement = Placement::rectangle(3, 11);
  const Var logits = golden.model({placement.pack(ids), placement, {}});
  golden.expect("logits", logits.value(), kForward);
  const Var loss = op::cross_entropy(logits, next_tokens(ids));
  golden.expect_step(loss, kForward, kGradient);
}

TEST_P(GoldenModels, EncoderComputesLogitsLossAndEveryGradient) {
  GoldenModel golden("encoder", GetParam());
  const Placement placement = Placement::masked(golden.read("mask"));
  const Var logits =
      golden.model({placement.pack(golden.read("ids")), placement, placement.pack(golden.read("segments"))});
  golden.expect("logits", logits.value(), kForward);
  golden.expect_step(op::cross_entropy(logits, golden.read("labels")), kForward, kGradient);
}

TEST_P(GoldenModels, EncoderDecoderComputesLogitsLossAndEveryGradient) {
  GoldenModel golden("encoder-decoder", GetParam());
  const Placement text = Placement::masked(golden.read("text_mask")), placement = Placement::rectangle(2, 6);
  const Var logits = golden.model({text.pack(golden.read("text")), text, {}},
                                  {placement.pack(golden.read("ids")), placement, {}});
  golden.expect("logits", logits.value(), kForward);
  golden.expect_step(op::cross_entropy(logits, golden.read("labels")), kForward, kGradient);
}

TEST_P(GoldenModels, TheSeedDocumentsEncoderComputesItsStatesAndEveryGradient) {
  GoldenModel golden("seed", GetParam());
  const Placement placement = Placement::rectangle(1, 5);
  const Var states = golden.model({placement.pack(golden.read("ids")), placement, {}});
  golden.expect("logits", states.value(), kForward);
  golden.expect_step(op::sum(op::multiply(states, Var(golden.read("weight").on(GetParam())))), kForward,
                     kGradient);
}

// The bits of every gradient after `loss(golden, pass)`. As in training, the pass no longer exists when they
// are computed.
template <class Loss>
std::vector<std::vector<float>> gradients(const char* name, bool recompute, Loss loss) {
  GoldenModel golden(name);
  const Var value = loss(golden, ForwardPass{.training = true, .recompute = recompute, .seed = 3, .step = 5});
  value.backward();
  std::vector<std::vector<float>> all;
  for (const NamedParameter& p : golden.model.parameters().all()) all.push_back(p.var.grad().values());
  return all;
}

TEST(ModelGolden, RecomputedLayersGiveTheSameBits) {
  const auto loss = [](const GoldenModel& golden, const ForwardPass& pass) {
    const Placement placement = Placement::rectangle(3, 11);
    const Tensor ids = golden.read("ids");
    return op::cross_entropy(golden.model({placement.pack(ids), placement, {}}, pass), next_tokens(ids));
  };
  EXPECT_EQ(gradients("decoder", false, loss), gradients("decoder", true, loss));
}

TEST(ModelGolden, RecomputedLayersThatReadATextGiveTheSameBits) {
  const auto loss = [](const GoldenModel& golden, const ForwardPass& pass) {
    const Placement text = Placement::masked(golden.read("text_mask")), own = Placement::rectangle(2, 6);
    const Var logits = golden.model({text.pack(golden.read("text")), text, {}},
                                    {own.pack(golden.read("ids")), own, {}}, pass);
    return op::cross_entropy(logits, golden.read("labels"));
  };
  EXPECT_EQ(gradients("encoder-decoder", false, loss), gradients("encoder-decoder", true, loss));
}

}  // namespace
}  // namespace locus::testing
