#include <bit>
#include <cstring>

#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// Converts on the CPU and on the reference; both must give the same bits for any input bits.
template <class From, class To>
void expect_same_conversion(const Tensor& from) {
  const Tensor want = Tensor::zeros(from.shape(), dtype_of<To>);
  kernels(Device::reference).convert({.from = from.view(), .to = want.view()});
  each_target([&] {
    const Tensor got = Tensor::zeros(from.shape(), dtype_of<To>);
    kernels(Device::cpu).convert({.from = from.view(), .to = got.view()});
    ASSERT_EQ(std::memcmp(got.view().data, want.view().data, static_cast<size_t>(got.numel()) * sizeof(To)),
              0);
  });
}

template <class Half>
Tensor every_half() {
  const Tensor all = Tensor::empty({65536}, dtype_of<Half>);
  for (size_t i = 0; i < 65536; ++i) all.data<Half>()[i].bits = static_cast<uint16_t>(i);
  return all;
}

// Every exponent and sign with mantissas around the rounding boundaries of both formats, and random bits.
Tensor boundary_floats() {
  std::vector<float> values;
  for (uint32_t top = 0; top < 512; ++top) {
    for (const uint32_t boundary :
         {0u, 0x1000u, 0x2000u, 0x3000u, 0x8000u, 0x10000u, 0x18000u, 0x7fe000u, 0x7fffffu}) {
      for (uint32_t step = 0; step < 3; ++step) {
        const uint32_t mantissa = (boundary + step - 1) & 0x7fffffu;
        values.push_back(std::bit_cast<float>(top << 23 | mantissa));
      }
    }
  }
  for (uint64_t i = 0; i < 100000; ++i) values.push_back(std::bit_cast<float>(Random(3, 0).bits(i)));
  return Tensor::of({static_cast<int64_t>(values.size())}, values);
}

TEST(Convert, EveryHalfToFloat) {
  expect_same_conversion<Bf16, float>(every_half<Bf16>());
  expect_same_conversion<F16, float>(every_half<F16>());
}

TEST(Convert, FloatToHalf) {
  expect_same_conversion<float, Bf16>(boundary_floats());
  expect_same_conversion<float, F16>(boundary_floats());
}

TEST(Convert, OtherPairs) {
  expect_same_conversion<F16, Bf16>(every_half<F16>());
  expect_same_conversion<float, double>(boundary_floats());
  expect_same_conversion<float, float>(boundary_floats());
}

TEST(Convert, StridedRows) {
  const Tensor wide = Tensor::full({5, 20}, 1.5f), halves = Tensor::zeros({5, 20}, DType::bf16);
  kernels(Device::cpu).convert({.from = wide.columns(1, 18).view(), .to = halves.columns(2, 19).view()});
  const std::vector<float> values = halves.values();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], i % 20 >= 2 && i % 20 < 19 ? 1.5f : 0.0f) << i;
  }
}

}  // namespace
}  // namespace locus::testing
