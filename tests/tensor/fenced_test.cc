// Tensors in memory that the host cannot read.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "locus/tensor/fenced/fenced.h"
#include "locus/tensor/indices.h"
#include "locus/tensor/queue.h"
#include "locus/tensor/storage.h"
#include "locus/tensor/tensor.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

using Floats = std::vector<float>;

Tensor counting(Shape shape) {
  Tensor tensor = Tensor::empty(shape);
  std::iota(tensor.data<float>().begin(), tensor.data<float>().end(), 0.0f);
  return tensor;
}
Floats read(const Tensor& tensor) { return tensor.on(Device::cpu).values(); }

TEST(Fenced, HasItsOwnMemory) {
  const Tensor here = counting({2, 3}), there = here.on(Device::fenced);
  EXPECT_EQ(there.device(), Device::fenced);
  EXPECT_EQ(there.on(Device::fenced).view().data, there.view().data) << "no copy";
  Tensor changed = here;
  changed.fill(9);
  EXPECT_EQ(read(there), (Floats{0, 1, 2, 3, 4, 5})) << "the copy was made before the change";
  EXPECT_EQ(read(there.on(Device::reference)), read(there));
}

TEST(Fenced, CopiesAndFillsParts) {
  const Tensor there = counting({3, 4}).on(Device::fenced);
  Tensor middle = there.columns(1, 3);
  EXPECT_EQ(read(middle), (Floats{1, 2, 5, 6, 9, 10}));
  middle.fill(-1);
  EXPECT_EQ(read(there), (Floats{0, -1, -1, 3, 4, -1, -1, 7, 8, -1, -1, 11}));
  Tensor other = Tensor::zeros({3, 4}, DType::f32, Device::fenced);
  other.columns(2, 4).copy_from(there.columns(0, 2));
  EXPECT_EQ(read(other.clone()), (Floats{0, 0, 0, -1, 0, 0, 4, -1, 0, 0, 8, -1}));
  middle.copy_from(counting({3, 2}));
  EXPECT_EQ(read(there.rows(2, 3)), (Floats{8, 4, 5, 11}));
  Tensor here = Tensor::full({3, 4}, 1);
  here.columns(0, 2).copy_from(there.columns(2, 4));
  EXPECT_EQ(here.values(), (Floats{1, 3, 1, 1, 3, 7, 1, 1, 5, 11, 1, 1}));
  EXPECT_TRUE(read(Tensor::zeros({0, 3}, DType::f32, Device::fenced)).empty());
}

TEST(Fenced, RefusesTheHost) {
  const Tensor there = Tensor::zeros({1}, DType::f32, Device::fenced);
  expect_error(Fault::bug, {"fenced"}, [&] { (void)there.values(); });
  expect_error(Fault::bug, {"fenced"}, [&] { (void)there.item(); });
  expect_error(Fault::bug, {"fenced"}, [&] { (void)there.data<float>(); });
  expect_error(Fault::bug, {"fenced"}, [&] { (void)there.view().row<float>(0); });
  expect_error(Fault::bug, {"cpu"}, [] { fenced::unfenced(Tensor::zeros({1}).view()); });
}

// The processor stops what goes around these checks.
TEST(FencedDeathTest, StopsTheHost) {
  const Tensor there = Tensor::zeros({1}, DType::f32, Device::fenced);
  const std::byte* const memory = there.view().data;
  EXPECT_DEATH(std::exit(static_cast<int>(*memory)), "");
  wait(Device::fenced);
  EXPECT_DEATH(std::exit(static_cast<int>(*memory)), "");
}

TEST(Fenced, WorksInOrderWhenTheHostWaits) {
  const int64_t before = waits(Device::fenced);
  std::vector<int> done;
  for (const int n : {1, 2, 3}) fenced::hand_over([&done, n] { done.push_back(n); });
  EXPECT_TRUE(done.empty());
  wait(Device::fenced);
  EXPECT_EQ(done, (std::vector{1, 2, 3}));
  wait(Device::fenced);
  EXPECT_EQ(done.size(), 3u);
  EXPECT_EQ(waits(Device::fenced) - before, 2);
  wait(Device::cpu);
  EXPECT_EQ(waits(Device::cpu), 0);
}

// Memory goes to the next tensor while the work of the last one is still to be done.
RC_GTEST_PROP(Fenced, KeepsWorkApartThatSharesMemory, (const std::vector<uint8_t>& sizes)) {
  std::vector<Tensor> alive;
  std::vector<float> values;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = 1 + sizes[i] % 40;
    const auto value = static_cast<float>(i);
    const Tensor first = Tensor::full({size}, value, DType::f32, Device::fenced);
    alive.push_back(first.clone()), values.push_back(value);
    if (sizes[i] % 3 == 0) alive.erase(alive.begin()), values.erase(values.begin());
  }
  for (size_t i = 0; i < alive.size(); ++i) {
    for (const float value : read(alive[i])) RC_ASSERT(value == values[i]);
  }
}

TEST(Fenced, KeepsAnAccount) {
  const int64_t before = allocated_bytes(Device::fenced), host = allocated_bytes();
  reset_peak_bytes(Device::fenced);
  {
    const Tensor there = Tensor::empty({1024}, DType::f32, Device::fenced);
    EXPECT_EQ(allocated_bytes(Device::fenced), before + 4096);
    EXPECT_EQ(allocated_bytes(), host);
  }
  EXPECT_EQ(allocated_bytes(Device::fenced), before);
  EXPECT_EQ(peak_bytes(Device::fenced), before + 4096);
  EXPECT_GT(memory(Device::fenced).available(), 0);
  expect_error(Fault::resource, {"1152921504606846976", "fenced"},
               [] { allocate(int64_t{1} << 60, Device::fenced); });
}

TEST(Fenced, HasACopyOfIndices) {
  const Indices indices = Tensor::of({2, 3}, {0, 1, 2, 3, 4, 5});
  const ConstView there = indices.view(Device::fenced);
  EXPECT_EQ(there.device, Device::fenced);
  EXPECT_EQ(indices.flat().view(Device::fenced).data, there.data) << "made once";
  EXPECT_NE(indices.view(Device::cpu).data, there.data);
  Tensor here = Tensor::empty({2, 3}, DType::i32);
  copy(here.view(), there);
  EXPECT_EQ(here.values(), (Floats{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace locus::testing
