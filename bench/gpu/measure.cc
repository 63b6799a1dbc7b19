#include "bench/gpu/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "locus/tensor/cuda/gpu.h"

namespace locus::gpu_bench {
namespace {

constexpr int64_t kGibibyte = int64_t{1} << 30;

std::vector<std::string> wanted;
std::array<double, 4> limits;  // TB/s or TFLOP/s; 0: not known

const char* unit(Limit limit) { return limit == Limit::copy || limit == Limit::fill ? "TB/s" : "TFLOP/s"; }

void print_row(const std::string& name, double seconds, double speed, Limit limit) {
  const double most = limits[static_cast<size_t>(limit)];
  const std::string share = most > 0 ? fmt::format("{:.2f}", speed / most) : "-";
  fmt::print("{:52} {:>12.1f} {:>8.2f} {:8} {:>6}\n", name, seconds * 1e6, speed, unit(limit), share);
  std::fflush(stdout);
}

// A copy and a fill by the driver.
void measure_memory() {
  const locus::cuda::Address from = locus::cuda::allocate(kGibibyte), to = locus::cuda::allocate(kGibibyte);
  const double copied = seconds_of([&] { locus::cuda::copy(to, from, kGibibyte); });
  limits[0] = 2.0 * kGibibyte / copied * 1e-12;
  print_row("limit: copy, 1 GiB", copied, limits[0], Limit::copy);
  const double filled = seconds_of([&] {
    locus::cuda::fill_rows({.to = to, .pitch = kGibibyte, .rows = 1, .cols = kGibibyte / 4, .width = 4});
  });
  limits[1] = 1.0 * kGibibyte / filled * 1e-12;
  print_row("limit: fill, 1 GiB", filled, limits[1], Limit::fill);
  locus::cuda::release(from);
  locus::cuda::release(to);
}

}  // namespace

double seconds_of(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](int times) {
    locus::cuda::wait();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) run();
    locus::cuda::wait();
    return std::chrono::duration<double>(Clock::now() - start).count() / times;
  };
  run();
  const double once = seconds(1);
  const int times = std::max(1, static_cast<int>(0.02 / once));
  std::vector<double> all;
  for (int i = 0; i < (once > 1 ? 3 : 7); ++i) all.push_back(seconds(times));
  std::ranges::sort(all);
  return all[all.size() / 2];
}

void start_table(const std::vector<std::string>& names) {
  wanted = names;
  fmt::print("{:52} {:>12} {:>17} {:>6}\n", "work", "us", "achieved", "share");
  measure_memory();
  constexpr double kOperations = 2.0 * 8192 * 8192 * 8192;
  for (const Limit limit : {Limit::product, Limit::bf16_product}) {
    const double speed = cublas_speed(limit);
    const char* const format = limit == Limit::product ? "f32" : "bf16";
    limits[static_cast<size_t>(limit)] = speed;
    if (speed > 0) {
      print_row(fmt::format("limit: {} product of cuBLAS, 8192^3", format), kOperations / speed * 1e-12,
                speed, limit);
    } else {
      fmt::print("limit: {} product: unknown, libcublas.so.13 cannot be used\n", format);
    }
  }
}

bool is_wanted(const std::string& name) {
  const auto has = [&](const std::string& part) { return name.find(part) != std::string::npos; };
  return wanted.empty() || std::ranges::any_of(wanted, has);
}

double measure(const std::string& name, double amount, Limit limit, const std::function<void()>& run) {
  if (!is_wanted(name)) return 0;
  const double seconds = seconds_of(run);
  print_row(name, seconds, amount / seconds * 1e-12, limit);
  return seconds;
}

}  // namespace locus::gpu_bench
