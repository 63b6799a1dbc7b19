// Fifty steps of AdamW on a whole model follow PyTorch's loss.
#include <gtest/gtest.h>

#include "locus/op/cross_entropy.h"
#include "locus/train/optimizer.h"
#include "tests/nn/golden_model.h"
#include "tests/other_device.h"

namespace locus::testing {
namespace {

class GoldenCurve : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(OnADevice, GoldenCurve, ::testing::Values(Device::cpu, other_device()),
                         [](const auto& device) { return std::string(name_of(device.param)); });

TEST_P(GoldenCurve, OfFiftyStepsOfAdamWIsThatOfPyTorch) {
  GoldenModel golden("decoder", GetParam());
  const Tensor ids = golden.read("ids");
  const Placement placement = Placement::rectangle(3, 11);
  const std::vector<float> wanted = golden.read("losses").values();
  ASSERT_EQ(wanted.size(), 50u);
  AdamW optimizer(golden.model.parameters(), {.weight_decay = 0.1});
  for (size_t step = 0; step < wanted.size(); ++step) {
    const Var loss = op::cross_entropy(golden.model({placement.pack(ids), placement, {}}), next_tokens(ids));
    // Both sides are f32: rounding errors accumulate over fifty steps, and stay below this.
    ASSERT_NEAR(loss.value().on_host().item(), wanted[step], 1e-4 * wanted[step]) << "step " << step + 1;
    loss.backward();
    optimizer.step(1e-3);
  }
  EXPECT_LT(wanted.back(), 0.8 * wanted.front()) << "the curve falls";
}

}  // namespace
}  // namespace locus::testing
