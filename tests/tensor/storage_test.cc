#include "locus/tensor/storage.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "locus/tensor/blocks.h"
#include "locus/tensor/tensor.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

TEST(Storage, IsAlignedAndNeverNowhere) {
  for (const int64_t bytes : {0, 1, 63, 64, 65, 4096}) {
    const auto memory = allocate(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % kAlignment, 0u);
  }
}

TEST(Storage, KeepsAnAccount) {
  const int64_t before = allocated_bytes();
  reset_peak_bytes();
  EXPECT_EQ(peak_bytes(), before);
  {
    const Tensor a = Tensor::zeros({1024});
    EXPECT_EQ(allocated_bytes(), before + 4096);
    const Tensor view = a.columns(0, 10);
    EXPECT_EQ(allocated_bytes(), before + 4096) << "a view costs nothing";
  }
  EXPECT_EQ(allocated_bytes(), before);
  EXPECT_EQ(peak_bytes(), before + 4096);
  reset_peak_bytes();
  EXPECT_EQ(peak_bytes(), before);
}

TEST(Storage, LivesAsLongAsAnyViewOfIt) {
  const int64_t before = allocated_bytes();
  Tensor part;
  {
    const Tensor whole = Tensor::full({4, 4}, 3);
    part = whole.rows(2, 3);
  }
  EXPECT_EQ(part.values(), (std::vector<float>{3, 3, 3, 3}));
  part = Tensor();
  EXPECT_EQ(allocated_bytes(), before);
}

TEST(Storage, AFreedBlockIsTakenAgainByATensorOfAboutItsSize) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "blocks are not kept under the address sanitizer, which watches freed ones";
#endif
  constexpr int64_t kMebibyte = 1 << 20;
  allocate(16 * kMebibyte);  // raises the peak, so that there is room to cache the next blocks
  const std::byte* first = allocate(3 * kMebibyte).get();
  EXPECT_EQ(allocate(3 * kMebibyte - 1000).get(), first);
  EXPECT_NE(allocate(2 * kMebibyte).get(), first) << "a third of it would be wasted";
  EXPECT_EQ(allocate(3 * kMebibyte).get(), first) << "it is still cached";
}

// On a device whose memory is not the host's, blocks of any size are kept, and count as available.
TEST(Storage, LargeBlocksOfADeviceAreTakenAgain) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "blocks are not kept under the address sanitizer, which watches freed ones";
#endif
  constexpr int64_t kLarge = int64_t{3} << 29;  // only addresses: nothing is written
  const std::byte* const first = allocate(kLarge, Device::fenced).get();
  const int64_t available = available_bytes(Device::fenced);
  EXPECT_GE(cached_bytes(Device::fenced), kLarge);
  const auto second = allocate(kLarge, Device::fenced);
  EXPECT_EQ(second.get(), first);
  EXPECT_EQ(available_bytes(Device::fenced), available - kLarge);
}

// Every owner fills its block, which would reveal a block with two owners.
RC_GTEST_PROP(Storage, NoTwoTensorsShareABlock, (const std::vector<uint8_t>& sizes)) {
#if defined(__SANITIZE_ADDRESS__)
  return;  // blocks are not cached, so none is reused
#endif
  std::vector<Tensor> alive;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t elements = int64_t{sizes[i]} << 10;
    if (alive.size() > 3) alive.erase(alive.begin() + sizes[i] % 4);
    alive.push_back(Tensor::full({elements + 1}, static_cast<double>(i)));
    for (const Tensor& tensor : alive) {
      const auto values = tensor.data<float>();
      RC_ASSERT(std::ranges::all_of(values, [&](float value) { return value == values[0]; }));
    }
  }
}

TEST(Storage, WhatIsKeptIsGivenUpForATensorThatIsTooLargeToKeep) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "blocks are not kept under the address sanitizer, which watches freed ones";
#endif
  constexpr int64_t kMebibyte = 1 << 20;
  allocate(900 * kMebibyte);  // stays in the cache
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  std::ifstream sizes("/proc/self/statm");
  int64_t pages = 0;
  sizes >> pages;
  const auto now = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::getpagesize());
  const rlimit tight{.rlim_cur = now + 1000 * kMebibyte, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_AS, &tight);
  EXPECT_NO_THROW(allocate(1100 * kMebibyte));
  ::setrlimit(RLIMIT_AS, &before);
}

TEST(Storage, SaysHowMuchItCouldNotGet) {
  constexpr int64_t kTooMuch = int64_t{1} << 60;
  expect_error(Fault::resource, {"1152921504606846976", "memory"}, [] { allocate(kTooMuch); });
  expect_error(Fault::data, {"tensor bytes", "63", "9223372036854775807"}, [] { allocate(INT64_MAX); });
}

}  // namespace
}  // namespace locus
