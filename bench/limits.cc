#include "bench/limits.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/huge_pages.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/limits.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace locus::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Both process a multiple of 64 elements, so they need no tail.
void scale_run(float* x, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, 1.0000001f);
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), factor), d, x + i);
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i + lanes), factor), d, x + i + lanes);
  }
}

float read_run(const float* x, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (int64_t i = 0; i < n; i += 4 * lanes) {
    a = hn::Add(a, hn::LoadU(d, x + i));
    b = hn::Add(b, hn::LoadU(d, x + i + lanes));
    c = hn::Add(c, hn::LoadU(d, x + i + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, x + i + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

// Sixteen independent sums keep four units with a latency of four cycles busy. They start from different
// values, because a compiler merges equal sums. Returns the number of operations.
double fma_run(int64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 0.999999f), y = hn::Set(d, 1e-6f);
  const auto start = [d](float at) HWY_ATTR { return hn::Set(d, at); };
  auto a0 = start(1), a1 = start(2), a2 = start(3), a3 = start(4), a4 = start(5), a5 = start(6);
  auto a6 = start(7), a7 = start(8), b0 = start(9), b1 = start(10), b2 = start(11), b3 = start(12);
  auto b4 = start(13), b5 = start(14), b6 = start(15), b7 = start(16);
  for (int64_t i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(x, y, a0), a1 = hn::MulAdd(x, y, a1), a2 = hn::MulAdd(x, y, a2),
    a3 = hn::MulAdd(x, y, a3);
    a4 = hn::MulAdd(x, y, a4), a5 = hn::MulAdd(x, y, a5), a6 = hn::MulAdd(x, y, a6),
    a7 = hn::MulAdd(x, y, a7);
    b0 = hn::MulAdd(x, y, b0), b1 = hn::MulAdd(x, y, b1), b2 = hn::MulAdd(x, y, b2),
    b3 = hn::MulAdd(x, y, b3);
    b4 = hn::MulAdd(x, y, b4), b5 = hn::MulAdd(x, y, b5), b6 = hn::MulAdd(x, y, b6),
    b7 = hn::MulAdd(x, y, b7);
  }
  a0 = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)));
  b0 = hn::Add(hn::Add(hn::Add(b0, b1), hn::Add(b2, b3)), hn::Add(hn::Add(b4, b5), hn::Add(b6, b7)));
  *sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(a0, b0)));
  return 2.0 * 16 * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

}  // namespace locus::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::bench {
namespace {

LOCUS_EXPORT(scale_run);
LOCUS_EXPORT(read_run);
LOCUS_EXPORT(fma_run);

constexpr int64_t kPiece = 16 * 1024;  // elements, the same piece size as in the kernels

// The median seconds of run(), over 0.2 seconds and at least nine runs, after one run that is not counted.
template <class F>
double seconds(F run) {
  using Clock = std::chrono::steady_clock;
  run();
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 9 || Clock::now() - start < std::chrono::milliseconds(200)) {
    const auto before = Clock::now();
    run();
    times.push_back(std::chrono::duration<double>(Clock::now() - before).count());
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

double measure_fma() {
  constexpr int64_t kRounds = 200'000;
  std::vector<double> operations(static_cast<size_t>(threads()));
  const double time = seconds([&] {
    parallel_for(threads(), 1, [&](int64_t thread, int64_t) {
      float sink = 0;
      operations[static_cast<size_t>(thread)] = LOCUS_DISPATCH(fma_run)(kRounds, &sink);
      asm volatile("" : : "m"(sink));
    });
  });
  double total = 0;
  for (const double of_thread : operations) total += of_thread;
  return total / time / 1e9;
}

// Fresh memory from the operating system, in huge pages like that of a tensor. Not allocated as a tensor:
// tensor memory is recycled, and the kernel measured next would lose its recycled memory.
class Pages {
 public:
  explicit Pages(int64_t floats) : bytes_(std::max<size_t>(4 * static_cast<size_t>(floats), 1)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) fail(Fault::resource, "limits: cannot allocate {} bytes", bytes_);
    use_huge_pages(memory_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(memory_, bytes_); }
  float* data() const { return static_cast<float*>(memory_); }

 private:
  size_t bytes_;
  void* memory_;
};

void copy(const float* from, float* to, int64_t n) {
  parallel_for(n, kPiece, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin) * sizeof(float));
  });
}

}  // namespace

const char* name_of(Limit limit) {
  constexpr const char* names[] = {"copy", "fresh", "scale", "read", "fma"};
  return names[static_cast<int>(limit)];
}

double measure(Limit limit, int64_t footprint) {
  if (limit == Limit::fma) return measure_fma();
  const int64_t half = std::max<int64_t>(1, footprint / 8 / 64) * 64, n = 2 * half;
  const Pages pages(n);
  float* x = pages.data();
  std::fill_n(x, n, 1.0f);
  const double time = seconds([&] {
    if (limit == Limit::copy) return copy(x, x + half, half);
    if (limit == Limit::fresh) return copy(x, Pages(half).data(), half);
    parallel_for(n, kPiece, [&](int64_t begin, int64_t end) {
      if (limit == Limit::scale) return LOCUS_DISPATCH(scale_run)(x + begin, end - begin);
      const float sum = LOCUS_DISPATCH(read_run)(x + begin, end - begin);
      asm volatile("" : : "m"(sum));
    });
  });
  return static_cast<double>(n) * 4 * (limit == Limit::scale ? 2 : 1) / time / 1e9;
}

}  // namespace locus::bench
#endif
