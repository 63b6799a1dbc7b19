// Tests an op: its gradients against finite differences in double, the CPU against the reference, and the
// another device against the CPU. The op is given as a function from Vars to its result or results:
//
//   check_op([](std::span<const Var> in) { return op::add(in[0], in[1]); }, {{{2, 3}}, {{2, 3}}});
//
// Checked, with L = the sum of the results times random weights:
//   reference, f64   dL/dx of every input element against finite differences of L
//   cpu, f32         results and gradients against the reference; the same bits if nothing is recorded; a
//                    frozen input gets no gradient and does not change the other gradients
//   other, f32       the results of the CPU, from memory that the host cannot read (tests/other_device.h)
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "locus/autograd/var.h"
#include "locus/base/random.h"
#include "locus/kernel/element.h"
#include "locus/op/elementwise.h"
#include "tests/other_device.h"

namespace locus::testing {

// Normal numbers times `scale`, different for each input.
struct Input {
  Shape shape;
  float scale = 1;
  bool strided = false;   // columns of a wider tensor
  bool constant = false;  // no gradient is required or checked
};

using Op = std::function<std::vector<Var>(std::span<const Var>)>;

// The elements in order, as double.
inline std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> all;
  const Tensor here = tensor.on_host();
  const ConstView view = here.view();
  kernel::each(view, [&](int64_t r, int64_t c) { all.push_back(kernel::at(view, r, c)); });
  return all;
}

// A tensor of normal numbers, all exact in f32: f64 on the reference, f32 on the CPU. All are further from 0
// than the steps of the finite differences, because relu is not differentiable at 0.
inline Tensor normal_tensor(Shape shape, Device device, uint64_t seed, float scale = 1,
                            bool strided = false) {
  const DType dtype = device == Device::reference ? DType::f64 : DType::f32;
  if (!on_host(device)) {
    const Tensor here = normal_tensor(shape, Device::cpu, seed, scale);
    if (!strided) return here.on(device);
    const Tensor wide = Tensor::full(shape.with_last(shape.cols() + 3), 777, dtype, device);
    Tensor tensor = wide.columns(1, 1 + shape.cols());
    tensor.copy_from(here);
    return tensor;
  }
  Tensor tensor = Tensor::empty(shape, dtype, device);
  if (strided) {
    const Tensor wide = Tensor::full(shape.with_last(shape.cols() + 3), 777, dtype, device);
    tensor = wide.columns(1, 1 + shape.cols());
  }
  const View view = tensor.view();
  const Random random(seed, 0);
  kernel::each(view, [&](int64_t r, int64_t c) {
    const float value = random.normal(static_cast<uint64_t>(r * view.cols + c));
    kernel::put(view, r, c, scale * (value + std::copysign(0.0625f, value)));
  });
  return tensor;
}

class OpCheck {
 public:
  OpCheck(Op op, std::vector<Input> inputs) : op_(std::move(op)), inputs_(std::move(inputs)) {}

  // `tolerance` is for f32 on the CPU, relative to a tensor's largest element: the error of a sum that
  // cancels depends on the size of its terms, not on its own size.
  void run(double tolerance) const {
    const Outcome cpu = differentiate(Device::cpu, kNone);
    // With ./run test --device cuda, the time is for the GPU.
    if (other_device() != Device::cuda) check_cpu(cpu, tolerance);
    const Outcome other = differentiate(other_device(), kNone);
    for (size_t i = 0; i < cpu.results.size(); ++i) {
      expect_same(other.results[i], cpu.results[i], "a result on another device");
    }
    for (size_t i = 0; i < cpu.gradients.size(); ++i) {
      expect_same(other.gradients[i], cpu.gradients[i], "a gradient on another device");
    }
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Outcome {
    std::vector<std::vector<double>> results, gradients;  // empty for constants
  };

  void check_cpu(const Outcome& cpu, double tolerance) const {
    const Outcome reference = differentiate(Device::reference, kNone);
    check_differences(reference);
    ASSERT_EQ(cpu.results.size(), reference.results.size());
    for (size_t i = 0; i < cpu.results.size(); ++i) {
      SCOPED_TRACE(::testing::Message() << "result " << i << " on the cpu");
      expect_near(cpu.results[i], reference.results[i], tolerance);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      SCOPED_TRACE(::testing::Message() << "gradient of input " << i << " on the cpu");
      expect_near(cpu.gradients[i], reference.gradients[i], tolerance);
    }
    check_unrecorded(cpu);
    check_frozen(cpu);
  }

  std::vector<Var> make_inputs(Device device, size_t frozen) const {
    std::vector<Var> vars;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      const Tensor value = normal_tensor(input.shape, device, i + 1, input.scale, input.strided);
      vars.push_back(input.constant || i == frozen ? Var(value) : Var::parameter(value));
    }
    return vars;
  }

  static Tensor weights_of(const Var& result, size_t i) {
    return normal_tensor(result.shape(), result.value().device(), 100 + i);
  }

  Outcome differentiate(Device device, size_t frozen) const {
    const std::vector<Var> vars = make_inputs(device, frozen);
    const std::vector<Var> results = op_(vars);
    Outcome outcome;
    Var loss;
    for (size_t i = 0; i < results.size(); ++i) {
      outcome.results.push_back(elements(results[i].value()));
      const Var part = op::sum(op::multiply(results[i], Var(weights_of(results[i], i))));
      loss = loss ? op::add(loss, part) : part;
    }
    if (loss.wants_grad()) loss.backward();
    for (const Var& var : vars) {
      outcome.gradients.push_back(var.grad() ? elements(var.grad()) : std::vector<double>());
    }
    return outcome;
  }

  double loss_of(std::span<const Var> vars) const {
    const NoGrad scope;
    const std::vector<Var> results = op_(vars);
    double total = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      const std::vector<double> y = elements(results[i].value()), w = elements(weights_of(results[i], i));
      for (size_t j = 0; j < y.size(); ++j) total += y[j] * w[j];
    }
    return total;
  }

  // Four-point differences with h = 1e-3. The error of the formula is h^4/30 times the fifth derivative
  // (3e-14 times it), and that of rounding about 1e-16 / h. A tolerance of 1e-8 accepts steep functions, but
  // no wrong gradient.
  void check_differences(const Outcome& outcome) const {
    constexpr double kStep = 1e-3, kTolerance = 1e-8;
    const std::vector<Var> vars = make_inputs(Device::reference, kNone);
    for (size_t i = 0; i < vars.size(); ++i) {
      if (inputs_[i].constant) continue;
      const View view = vars[i].value().view();
      const std::vector<double>& got = outcome.gradients[i];
      ASSERT_EQ(static_cast<int64_t>(got.size()), view.numel()) << "input " << i << " has no gradient";
      const double largest = largest_of(got);
      for (int64_t e = 0; e < view.numel(); ++e) {
        const int64_t r = e / view.cols, c = e % view.cols;
        const double x = kernel::at(view, r, c);
        const auto at = [&](double step) {
          kernel::put(view, r, c, x + step);
          return loss_of(vars);
        };
        const double near = at(kStep) - at(-kStep), far = at(2 * kStep) - at(-2 * kStep);
        kernel::put(view, r, c, x);
        ASSERT_NEAR(got[static_cast<size_t>(e)], (8 * near - far) / (12 * kStep),
                    kTolerance * std::max(1.0, largest))
            << "gradient of input " << i << ", element " << e;
      }
    }
  }

  void check_unrecorded(const Outcome& recorded) const {
    const NoGrad scope;
    const std::vector<Var> results = op_(make_inputs(Device::cpu, kNone));
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(elements(results[i].value()), recorded.results[i]) << "other bits when nothing is recorded";
    }
  }

  void check_frozen(const Outcome& whole) const {
    for (size_t frozen = 0; frozen < inputs_.size(); ++frozen) {
      const Outcome outcome = differentiate(Device::cpu, frozen);
      for (size_t i = 0; i < inputs_.size(); ++i) {
        if (i == frozen) {
          EXPECT_TRUE(outcome.gradients[i].empty()) << "a gradient for frozen input " << i;
        } else {
          EXPECT_EQ(outcome.gradients[i], whole.gradients[i])
              << "input " << i << " with " << frozen << " frozen";
        }
      }
    }
  }

  static double largest_of(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
  }

  static void expect_near(const std::vector<double>& got, const std::vector<double>& want, double tolerance) {
    ASSERT_EQ(got.size(), want.size());
    const double allowed = tolerance * largest_of(want);
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], allowed) << "element " << i;
  }

  Op op_;
  std::vector<Input> inputs_;
};

// f returns a Var or a vector of them.
template <class F>
void check_op(F f, std::vector<Input> inputs, double tolerance = 2e-6) {
  const Op op = [f](std::span<const Var> in) {
    if constexpr (std::is_same_v<decltype(f(in)), Var>) {
      return std::vector<Var>{f(in)};
    } else {
      return f(in);
    }
  };
  ::testing::Message shapes;
  for (const Input& input : inputs) shapes << " " << input.shape.text() << (input.strided ? " strided" : "");
  SCOPED_TRACE(::testing::Message() << "inputs" << shapes);
  OpCheck(op, std::move(inputs)).run(tolerance);
}

}  // namespace locus::testing
