// Compares gradients of the block input and of every parameter with finite differences, in double on the
// reference.
#include "tests/conformance/block.h"

namespace locus::testing {
namespace {

class Gradients : public Conformance {
 protected:
  static constexpr uint64_t kWeights = 31;
  // Number of single elements to check. Under the sanitizer a few suffice: all of them touch the same memory.
#if defined(__SANITIZE_ADDRESS__)
  static constexpr size_t kAlone = 2;
#else
  static constexpr size_t kAlone = 24;
#endif

  double loss(const Block& block, const Var& x, const Placement& placement) {
    const NoGrad scope;
    const std::vector<double> out = numbers(block.run(x, placement).value());
    const std::vector<double> weights = numbers(block.rows(placement.queries(), kWeights));
    double total = 0;
    for (size_t i = 0; i < out.size(); ++i) total += out[i] * weights[i];
    return total;
  }

  // The derivative along `direction`, by finite differences over four points. With h = 1e-4 the error of the
  // formula is h^4 times the fifth derivative, and rounding adds 1e-16 / h: both are far below the tolerance
  // of 1e-8.
  double difference(const Block& block, const Var& x, const Placement& placement, const Tensor& value,
                    const std::vector<double>& direction) {
    constexpr double kStep = 1e-4;
    const std::vector<double> before = numbers(value);
    const auto at = [&](double step) {
      const View view = value.view();
      kernel::each(view, [&](int64_t r, int64_t c) {
        const auto i = static_cast<size_t>(r * view.cols + c);
        kernel::put(view, r, c, before[i] + step * direction[i]);
      });
      return loss(block, x, placement);
    };
    const double near = at(kStep) - at(-kStep), far = at(2 * kStep) - at(-2 * kStep);
    at(0);
    return (8 * near - far) / (12 * kStep);
  }

  // All elements together along a random direction, and some single elements.
  void check(const Block& block, const Var& x, const Placement& placement, const Tensor& value,
             const Tensor& gradient, const std::string& name) {
    ASSERT_TRUE(value.contiguous());
    const auto size = static_cast<size_t>(value.numel());
    const std::vector<double> slope =
        gradient ? numbers(gradient)
                 : std::vector<double>(size, 0.0);  // no gradient: the result does not depend on it
    const double allowed = 1e-8 * std::max(1.0, largest(slope));
    std::vector<double> direction = numbers(normal_rows(value.shape(), 5));
    double want = 0;
    for (size_t i = 0; i < size; ++i) want += slope[i] * direction[i];
    EXPECT_NEAR(difference(block, x, placement, value, direction), want,
                allowed * std::sqrt(static_cast<double>(size)))
        << name << ", along a direction";
    for (size_t n = 0; n < std::min(size, kAlone); ++n) {
      const size_t i = size <= kAlone ? n : Random(3, size).below(n, static_cast<uint32_t>(size));
      std::ranges::fill(direction, 0.0);
      direction[i] = 1;
      EXPECT_NEAR(difference(block, x, placement, value, direction), slope[i], allowed)
          << name << ", element " << i;
    }
  }
};

TEST_P(Gradients, OfInputAndParametersAgainstDifferences) {
  for (const bool causal : {false, true}) {
    SCOPED_TRACE(causal ? "causal" : "both directions");
    Block block(GetParam(), {.heads = 2, .causal = causal}, Device::reference);
    const std::vector<int64_t> lengths = {7, 1, 3};
    const Placement placement = Placement::of_lengths(lengths);
    const Tensor x = block.rows(placement.queries(), 11);
    const ForwardPass got = pass(block, x, placement, block.rows(placement.queries(), kWeights));
    const Var input(x);
    check(block, input, placement, x, got.dx, "x");
    for (const NamedParameter& parameter : block.parameters.all()) {
      check(block, input, placement, parameter.var.value(), got.gradients.at(parameter.name), parameter.name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Gradients, every_variant(), variant_name);

}  // namespace
}  // namespace locus::testing
