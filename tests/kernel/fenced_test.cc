// Kernels of the fenced device. That their results are those of the CPU is tested with the ops.
#include <gtest/gtest.h>

#include "locus/kernel/kernels.h"
#include "locus/tensor/queue.h"
#include "locus/tensor/tensor.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

Tensor there(Shape shape, double value) { return Tensor::full(shape, value, DType::f32, Device::fenced); }

TEST(FencedKernels, RefuseMemoryOfOtherDevices) {
  const Tensor a = there({3}, 1), b = Tensor::full({3}, 1);
  const Kernels& fenced = kernels(Device::fenced);
  expect_error(Fault::bug, {"cpu"}, [&] { fenced.add({a.view(), b.view(), a.view()}); });
  expect_error(Fault::bug, {"cpu"}, [&] { fenced.add({a.view(), a.view(), b.view()}); });
  expect_error(Fault::bug, {"cpu"}, [&] { fenced.sum({a.view(), b.columns(0, 1).view()}); });
  const Tensor ids = Tensor::of({3}, {0, 0, 0});
  expect_error(Fault::bug, {"cpu"}, [&] {
    fenced.gather({.table = a.reshape({1, 3}).view(), .ids = ids.view(), .out = a.reshape({3, 1}).view()});
  });
  expect_error(Fault::bug, {"fenced"}, [&] { kernels(Device::cpu).add({b.view(), a.view(), b.view()}); });
}

// Arguments are copied, and numbers stay on the device until the host reads them.
TEST(FencedKernels, RunWhenTheHostWaits) {
  const int64_t before = waits(Device::fenced);
  const Tensor out = there({}, 0);
  {
    kernel::SumArgs args = {.x = there({100}, 3).view(), .out = out.view(), .divisor = 100};
    kernels(Device::fenced).sum(args);
    args = {};
  }
  kernels(Device::fenced).scale({.x = out.view(), .out = out.view(), .factor = 2});
  EXPECT_EQ(waits(Device::fenced), before);
  EXPECT_EQ(out.on_host().item(), 6);
  EXPECT_EQ(waits(Device::fenced), before + 1);
}

// A kernel that fails, fails at the next wait; what was handed over after it is dropped.
TEST(FencedKernels, FailWhenTheyRun) {
  const Tensor x = Tensor::full({3}, 1, DType::i32, Device::fenced), y = there({3}, 1);
  kernels(Device::fenced).add({x.view(), x.view(), x.view()});
  kernels(Device::fenced).scale({.x = y.view(), .out = y.view(), .factor = 2});
  expect_error(Fault::bug, {"i32", "f32"}, [] { wait(Device::fenced); });
  EXPECT_EQ(y.on_host().values(), std::vector<float>(3, 1));
}

}  // namespace
}  // namespace locus::testing
