#include "locus/tensor/slab.h"

#include <gtest/gtest.h>

#include "locus/tensor/storage.h"

namespace locus {
namespace {

constexpr int64_t kMegabyte = (1 << 20) / 4;  // in f32 elements

TEST(Slab, TensorsOfOneBlockDoNotOverlapAndOutliveIt) {
  std::vector<Tensor> tensors;
  {
    Slab slab;
    tensors.push_back(slab.empty({64 * kMegabyte}));  // large enough that the following tensors share a block
    for (const int64_t size : {3, 0, 1, 17, 1000}) tensors.push_back(slab.empty({size, 5}));
    tensors.push_back(slab.empty({7}, DType::bf16));
  }
  for (size_t i = 1; i < tensors.size(); ++i) tensors[i].fill(static_cast<double>(i));
  for (size_t i = 1; i < tensors.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensors[i].view().data) % kAlignment, 0u);
    for (const float value : tensors[i].values()) ASSERT_EQ(value, static_cast<float>(i));
    EXPECT_FALSE(tensors[i].shares_memory_with(tensors[i - 1]));
  }
  const auto distance = tensors[6].view().data - tensors[1].view().data;
  EXPECT_LT(std::abs(distance), 16 << 20) << "they lie in blocks of their own";
}

TEST(Slab, TakesLittleMoreThanItsTensors) {
  const int64_t before = allocated_bytes();
  Slab slab;
  std::vector<Tensor> tensors;
  int64_t bytes = 0;
  for (int i = 0; i < 400; ++i) {
    const int64_t numbers = i % 50 == 0 ? 9 * kMegabyte : 1 + i * 512;
    tensors.push_back(slab.empty({numbers}));
    bytes += padded_bytes(4 * numbers);
    ASSERT_LE(allocated_bytes() - before, bytes + bytes / 8 + (4 << 20));
  }
  EXPECT_GT(allocated_bytes() - before, bytes) << "no block was shared: the test has no case";
  tensors.clear();
  slab = Slab();
  EXPECT_EQ(allocated_bytes(), before);
}

}  // namespace
}  // namespace locus
