// Activations in bf16: what compare() does not test, because it tests every kernel up to rounding.
#include <gtest/gtest.h>

#include "locus/kernel/kernels.h"
#include "locus/tensor/tensor.h"
#include "tests/other_device.h"

namespace locus::testing {
namespace {

Tensor rounded(const std::vector<float>& values, Device device) {
  const Tensor tensor = Tensor::empty({static_cast<int64_t>(values.size())}, DType::bf16);
  for (size_t i = 0; i < values.size(); ++i) tensor.data<Bf16>()[i] = to_bf16(values[i]);
  return tensor.on(device);
}

// Sums halfway between two bf16 numbers round to the even one, and are exact before.
TEST(Bf16Activations, AreRoundedOnceToNearestEven) {
  const std::vector<float> a = {1, 1, 1, -1, 0x1p-130f}, b = {0x1p-8f, 0x3p-8f, 0x1.02p-8f, -0x3p-8f, 1},
                           want = {1, 1 + 0x4p-8f, 1 + 0x2p-8f, -1 - 0x4p-8f, 1};
  for (const Device device : {Device::cpu, Device::reference, other_device()}) {
    const Tensor x = rounded(a, device), y = rounded(b, device), sum = x.like(x.shape());
    kernels(device).add({.a = x.view(), .b = y.view(), .out = sum.view()});
    EXPECT_EQ(sum.on_host().values(), want) << name_of(device);
  }
}

// A sum of 1000 ones in bf16 would stop at 256, and one of small numbers beside it would lose them.
TEST(Bf16Activations, AreAddedInF32) {
  for (const Device device : {Device::cpu, Device::reference, other_device()}) {
    const Kernels& table = kernels(device);
    const Tensor x = Tensor::full({1000, 3}, 1, DType::bf16, device);
    const Tensor out = Tensor::empty({3}, DType::f32, device),
                 workspace = Tensor::empty({table.partial_rows(1000), 3}, DType::f32, device);
    table.column_sum({.x = x.view(), .out = out.view(), .workspace = workspace.view()});
    EXPECT_EQ(out.on_host().values(), std::vector<float>(3, 1000)) << name_of(device);
    const Tensor ids = Tensor::zeros({1000}, DType::i32, device),
                 row = Tensor::zeros({1, 3}, DType::bf16, device);
    table.scatter_add({.rows = x.view(), .ids = ids.view(), .table = row.view()});
    EXPECT_EQ(row.on_host().values(), std::vector<float>(3, 1000)) << name_of(device);
  }
}

// An output that a kernel changes in part keeps the other elements.
TEST(Bf16Activations, KeepWhatAKernelDoesNotWrite) {
  for (const Device device : {Device::cpu, Device::reference, other_device()}) {
    const Tensor rows = Tensor::full({1, 2}, 3, DType::bf16, device),
                 table = Tensor::full({3, 2}, 0.5, DType::bf16, device);
    const Tensor ids = Tensor::full({1}, 1, DType::i32, device);
    kernels(device).scatter_add({.rows = rows.view(), .ids = ids.view(), .table = table.view()});
    EXPECT_EQ(table.on_host().values(), (std::vector<float>{0.5, 0.5, 3.5, 3.5, 0.5, 0.5}))
        << name_of(device);
  }
}

}  // namespace
}  // namespace locus::testing
