// Compares the CPU kernels on every SIMD target with the reference: results, and gradients of the input and
// of every parameter, for several numbers of heads and lengths. Another device has the
// results of the CPU.
#include <array>

#include "tests/conformance/block.h"
#include "tests/kernel/compare.h"
#include "tests/other_device.h"

namespace locus::testing {
namespace {

// f32 compared to double: scores of size 10 have an error of 1e-6, and so do the softmax weights. The
// gradient of a parameter sums some thousand such terms.
constexpr double kResult = 2e-5, kGradient = 1e-4;
// The gradients of key biases cancel to zero, so their error is relative to the terms that cancel: a fraction
// of the largest gradient of the pass.
constexpr double kCancelling = 0.1;

double largest_gradient(const ForwardPass& pass) {
  double most = largest(numbers(pass.dx));
  for (const auto& [name, gradient] : pass.gradients) {
    if (gradient) most = std::max(most, largest(numbers(gradient)));
  }
  return most;
}

class Devices : public Conformance {
 protected:
  void compare_passes(int64_t heads, int64_t length, bool causal) {
    SCOPED_TRACE(::testing::Message() << heads << " heads, length " << length << (causal ? ", causal" : ""));
    const BlockShape shape{.heads = heads, .causal = causal};
    const std::array lengths = {length, std::max<int64_t>(length / 3, 1)};
    const Placement placement = Placement::of_lengths(lengths);
    // With ./run test --device cuda, the time is for the GPU.
    if (other_device() != Device::cuda) compare_cpu(shape, placement);
    compare_other(shape, placement);
  }

  void compare_cpu(BlockShape shape, const Placement& placement) const {
    const int64_t count = placement.queries();
    Block exact(GetParam(), shape, Device::reference);
    const ForwardPass want = pass(exact, exact.rows(count, 11), placement, exact.rows(count, 12));
    each_target([&] {
      Block block(GetParam(), shape, Device::cpu);
      const ForwardPass got = pass(block, block.rows(count, 11), placement, block.rows(count, 12));
      expect_near(got.out, numbers(want.out), kResult, "out");
      expect_near(got.dx, numbers(want.dx), kGradient, "gradient of x");
      const double most = largest_gradient(want);
      for (const auto& [name, gradient] : want.gradients) {
        const Tensor& mine = got.gradients.at(name);
        ASSERT_EQ(static_cast<bool>(mine), static_cast<bool>(gradient)) << name;
        if (!gradient) continue;
        expect_near(mine, numbers(gradient), kGradient, "gradient of " + name, kCancelling * most);
      }
    });
  }

  void compare_other(BlockShape shape, const Placement& placement) const {
    Block block(GetParam(), shape, Device::cpu), other(GetParam(), shape, other_device());
    const int64_t count = placement.queries();
    const ForwardPass want = pass(block, block.rows(count, 11), placement, block.rows(count, 12));
    const ForwardPass got = pass(other, other.rows(count, 11), placement, other.rows(count, 12));
    EXPECT_EQ(got.out.device(), other_device());
    expect_same(numbers(got.out), numbers(want.out), "out");
    expect_same(numbers(got.dx), numbers(want.dx), "gradient of x");
    const double most = largest_gradient(want);
    for (const auto& [name, gradient] : want.gradients) {
      const Tensor& mine = got.gradients.at(name);
      ASSERT_EQ(static_cast<bool>(mine), static_cast<bool>(gradient)) << name;
      if (!gradient) continue;
      if (other_device() == Device::fenced) {
        EXPECT_EQ(numbers(mine), numbers(gradient)) << "gradient of " << name;
      } else {
        expect_near(mine, numbers(gradient), kOtherDevice, "gradient of " + name, kCancelling * most);
      }
    }
  }

  void compare_results(int64_t heads, int64_t length, bool causal) {
    SCOPED_TRACE(::testing::Message() << heads << " heads, length " << length << (causal ? ", causal" : ""));
    const NoGrad scope;
    const Placement placement = Placement::rectangle(1, length);
    const Block exact(GetParam(), {heads, causal}, Device::reference);
    const std::vector<double> want = numbers(exact.run(Var(exact.rows(length, 11)), placement).value());
    const auto compare = [&](Device device, double tolerance) {
      const Block block(GetParam(), {heads, causal}, device);
      expect_near(block.run(Var(block.rows(length, 11)), placement).value(), want, tolerance, "out");
    };
    if (other_device() == Device::cuda) return compare(Device::cuda, kOtherDevice);
    each_target([&] { compare(Device::cpu, kResult); });
  }
};

TEST_P(Devices, HeadCounts) {
  for (const int64_t heads : {1, 2, 3, 12, 20}) compare_passes(heads, 9, heads % 2 == 0);
}

TEST_P(Devices, Lengths) {
  for (const int64_t length : {1, 2, 31, 64, 65}) {
    for (const bool causal : {false, true}) compare_passes(2, length, causal);
  }
  for (const int64_t length : {511, 600}) compare_results(1, length, length == 511);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Devices, every_variant(), variant_name);

}  // namespace
}  // namespace locus::testing
