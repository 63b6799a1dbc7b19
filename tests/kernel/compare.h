// Runs a kernel call on the reference in double, on the CPU for every SIMD target, and on a GPU if there is
// one, and compares the results. The call is written once, against a Stage that provides its arguments:
//
//   compare(layout, {.relative = 1e-6}, [&](Stage& stage) {
//     stage.kernels().scale({.x = stage.activation({3, 5}, 1), .out = stage.result({3, 5}), .factor = 2});
//   });
//
// Checks: values are within the tolerance; the bits are the same with 1, 2, 3 and 7 threads and in repeated
// runs; nothing is written outside of the outputs. A call with activations runs again with these in bf16, on
// the reference too: it has the same tolerance there, before its results are rounded.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "locus/base/parallel.h"
#include "locus/base/random.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/kernel/element.h"
#include "locus/kernel/kernels.h"
#include "locus/tensor/tensor.h"
#include "tests/kernel/gpu.h"
#include "tests/other_device.h"

namespace locus::testing {

// `packed`: contiguous rows at an aligned address. `strided`: columns of a wider tensor, so rows start at
// unaligned addresses with other elements between them.
enum class Layout { packed, strided };
inline constexpr std::array kLayouts = {Layout::packed, Layout::strided};

// Empty, single, shorter and longer than a vector, with every kind of tail, and enough for several pieces.
inline constexpr std::array<std::array<int64_t, 2>, 12> kSizes = {{{0, 5},
                                                                   {3, 0},
                                                                   {1, 1},
                                                                   {1, 3},
                                                                   {2, 7},
                                                                   {3, 16},
                                                                   {5, 17},
                                                                   {4, 131},
                                                                   {33, 64},
                                                                   {70, 259},
                                                                   {3, 33001},
                                                                   {1100, 48}}};

// A result passes if |got - want| <= absolute + relative |want|.
struct Tolerance {
  double relative = 0, absolute = 0;
};

// Two numbers that nearly agree may round to neighbors in bf16, which are at most this far apart. Few do, if
// both are rounded to nearest: with an f32 error of 1e-5, one number in 200.
inline constexpr double kBf16Step = 0x1p-7;
inline constexpr size_t kNeighbors = 20;  // at most one result in this many

// Normally distributed numbers, a function of the seed. Cached, because every call runs about ten times.
inline const std::vector<float>& normals(uint64_t seed, int64_t count) {
  static std::map<uint64_t, std::vector<float>> made;
  std::vector<float>& values = made[seed];
  const Random random(seed, 0);
  while (static_cast<int64_t>(values.size()) < count) values.push_back(random.normal(values.size()));
  return values;
}

class Stage {
 public:
  Stage(Device device, Layout layout) : Stage(device, layout, locus::kernels(device)) {}
  Stage(Device device, Layout layout, const Kernels& kernels, bool bf16 = false)
      : device_(device), layout_(layout), kernels_(kernels), bf16_(bf16) {}

  const Kernels& kernels() const { return kernels_; }

  // Normally distributed numbers times `scale`, the same for the same seed.
  View input(Shape shape, uint64_t seed, float scale = 1) {
    return filled(place(shape, format()), seed, scale);
  }
  View input(Shape shape, const std::vector<float>& values) { return filled(place(shape, format()), values); }
  // An input that may be bf16.
  View activation(Shape shape, uint64_t seed, float scale = 1) {
    return filled(place(shape, activation_format()), seed, scale);
  }
  View activation(Shape shape, const std::vector<float>& values) {
    return filled(place(shape, activation_format()), values);
  }
  bool bf16() const { return bf16_; }  // whether activations are bf16
  // Whether the call has activations.
  bool in_two_formats() const { return in_two_formats_; }
  // The same rounded to bf16; the reference gets bf16 too.
  View bf16_input(Shape shape, uint64_t seed) {
    const int64_t margin = layout_ == Layout::strided ? 3 : 0;
    keep_.push_back(Tensor::zeros(shape.with_last(shape.cols() + margin), DType::bf16, device_)
                        .columns(margin / 3, margin / 3 + shape.cols()));
    const View view = keep_.back().view();
    const std::vector<float>& values = normals(seed, view.numel());
    fill(view, [&](int64_t i) { return values[static_cast<size_t>(i)]; });
    return view;
  }
  // Intermediate memory between two kernels, as ops allocate it: contiguous and aligned in every layout.
  View intermediate(Shape shape, DType dtype) {
    keep_.push_back(Tensor::zeros(shape, dtype, device_));
    return keep_.back().view();
  }
  // Integers in [0, below).
  View ids(int64_t count, uint64_t seed, uint32_t below) {
    keep_.push_back(Tensor::empty({count}, DType::i32));
    for (int64_t i = 0; i < count; ++i) {
      keep_.back().data<int32_t>()[static_cast<size_t>(i)] =
          static_cast<int32_t>(Random(seed, 1).below(static_cast<uint64_t>(i), below));
    }
    return keep_.back().view();
  }
  View output(Shape shape) { return written(workspace(shape)); }
  // An output that may be bf16, or one that the call also reads.
  View result(Shape shape) { return written(unwritten(place(shape, activation_format()))); }
  View updated_activation(Shape shape, uint64_t seed, float scale = 1) {
    return written(activation(shape, seed, scale));
  }
  // Memory that the call reads and writes; compared as an output.
  View updated(Shape shape, uint64_t seed, float scale = 1) { return written(input(shape, seed, scale)); }
  View written(View view) {
    outputs_.push_back(view);
    return view;
  }
  View workspace(Shape shape) { return unwritten(place(shape, format())); }

  // All outputs, element by element: first those that are not bf16.
  std::vector<double> results() const {
    std::vector<double> all = results_in(false), rounded = results_in(true);
    all.insert(all.end(), rounded.begin(), rounded.end());
    return all;
  }
  // Those of the outputs in bf16, or of all others.
  std::vector<double> results_in(bool bf16) const {
    std::vector<double> all;
    for (const View& view : outputs_) {
      if ((view.dtype == DType::bf16) != bf16) continue;
      kernel::each(view, [&](int64_t r, int64_t c) { all.push_back(kernel::at(view, r, c)); });
    }
    return all;
  }
  bool margins_intact() const {
    for (const Tensor& whole : margins_) {
      const View view = whole.view();
      for (int64_t r = 0; r < view.rows; ++r) {
        for (int64_t c : {int64_t{0}, view.cols - 3, view.cols - 2, view.cols - 1}) {
          if (kernel::at(view, r, c) != kMargin) return false;
        }
      }
    }
    return true;
  }

 private:
  static constexpr float kMargin = 768;  // also a bf16 number

  DType format() const { return device_ == Device::reference ? DType::f64 : DType::f32; }
  DType activation_format() {
    in_two_formats_ = true;
    return bf16_ ? DType::bf16 : format();
  }
  View place(Shape shape, DType dtype) {
    if (layout_ == Layout::packed) {
      keep_.push_back(Tensor::empty(shape, dtype, device_));
    } else {
      margins_.push_back(Tensor::full(shape.with_last(shape.cols() + 4), kMargin, dtype, device_));
      keep_.push_back(margins_.back().columns(1, 1 + shape.cols()));
    }
    return keep_.back().view();
  }
  static View filled(View view, uint64_t seed, float scale) {
    const std::vector<float>& values = normals(seed, view.numel());
    fill(view, [&](int64_t i) { return scale * values[static_cast<size_t>(i)]; });
    return view;
  }
  static View filled(View view, const std::vector<float>& values) {
    fill(view, [&](int64_t i) { return values[static_cast<size_t>(i)]; });
    return view;
  }
  static View unwritten(View view) {
    fill(view, [](int64_t) { return std::nanf(""); });
    return view;
  }
  template <class F>
  static void fill(View view, F value) {
    kernel::each(view, [&](int64_t r, int64_t c) { kernel::put(view, r, c, value(r * view.cols + c)); });
  }

  Device device_;
  Layout layout_;
  const Kernels& kernels_;
  bool bf16_, in_two_formats_ = false;
  std::vector<Tensor> keep_, margins_;
  std::vector<View> outputs_;
};

inline void expect_close(const std::vector<double>& got, const std::vector<double>& want,
                         Tolerance tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) continue;
    const double error = std::abs(got[i] - want[i]);
    ASSERT_TRUE(error <= tolerance.absolute + tolerance.relative * std::abs(want[i]))
        << "result " << i << " of " << got.size() << ": " << got[i] << ", expected " << want[i] << ", off by "
        << error;
  }
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<uint64_t, double>, std::bit_cast<uint64_t, double>);
}

// Calls f() once for every SIMD target this machine can run.
template <class F>
void each_target(F f) {
  for (int64_t targets = kernel::cpu::supported_target_bits(); targets != 0; targets &= targets - 1) {
    const int64_t target = targets & -targets;
    SCOPED_TRACE(hwy::TargetName(target));
    kernel::cpu::use_target(target);
    f();
  }
  kernel::cpu::use_target(0);
}

// Rounded results that are further from what is wanted than before they were rounded: neighbors.
inline void expect_few_neighbors(const std::vector<double>& got, const std::vector<double>& want,
                                 Tolerance tolerance) {
  ASSERT_EQ(got.size(), want.size());
  size_t neighbors = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(got[i] - want[i]);
    neighbors += error > tolerance.absolute + tolerance.relative * std::abs(want[i]) ? 1 : 0;
  }
  EXPECT_LE(neighbors, 2 + got.size() / kNeighbors) << "of " << got.size() << " results";
}

struct Results {
  std::vector<double> all, exact, rounded;  // exact: not rounded to bf16
  bool in_two_formats = false;
};

template <class Call>
Results run_call(Device device, const Kernels& kernels, Layout layout, bool bf16, Call& call) {
  Stage stage(device, layout, kernels, bf16);
  call(stage);
  EXPECT_TRUE(stage.margins_intact()) << "written outside of an output";
  return {stage.results(), stage.results_in(false), stage.results_in(true), stage.in_two_formats()};
}

// Activations in bf16, held to those of the reference.
inline void expect_rounded(const Results& got, const Results& want, Tolerance tolerance) {
  expect_close(got.exact, want.exact, tolerance);
  expect_close(got.rounded, want.rounded, {tolerance.relative + kBf16Step, tolerance.absolute});
  expect_few_neighbors(got.rounded, want.rounded, tolerance);
}

// The same with activations in bf16, for fewer numbers of threads: no kernel has threads of its own for it.
template <class Call>
void compare_bf16(Layout layout, Tolerance tolerance, Call& call) {
  SCOPED_TRACE("bf16");
  const auto run = [&](Device device) { return run_call(device, kernels(device), layout, true, call); };
  const Results want = run(Device::reference);
  each_target([&] {
    set_threads(1);
    const Results got = run(Device::cpu);
    expect_rounded(got, want, tolerance);
    set_threads(3);
    EXPECT_TRUE(same_bits(run(Device::cpu).all, got.all)) << "different bits with 3 threads";
  });
}

template <class Call>
void compare(Layout layout, Tolerance tolerance, Call call) {
  const auto run_with = [&](Device device, const Kernels& kernels) {
    return run_call(device, kernels, layout, false, call);
  };
  const auto run = [&](Device device) { return run_with(device, kernels(device)); };
  const Results want = run(Device::reference);
  const int threads_before = threads();
  const auto compare_cpu = [&] {
    set_threads(1);
    const Results got = run(Device::cpu);
    expect_close(got.all, want.all, tolerance);
    for (const int count : {1, 2, 3, 7}) {
      set_threads(count);
      EXPECT_TRUE(same_bits(run(Device::cpu).all, got.all)) << "different bits with " << count << " threads";
    }
  };
  // With ./run test --device cuda, the time is for the GPU.
  if (other_device() != Device::cuda) each_target(compare_cpu);
  if (want.in_two_formats && other_device() != Device::cuda) compare_bf16(layout, tolerance, call);
  set_threads(threads_before);
  if (const Kernels* const gpu = gpu_kernels()) {
    SCOPED_TRACE("GPU");
    const Results got = run_with(Device::cpu, *gpu);
    expect_close(got.all, want.all, tolerance);
    EXPECT_TRUE(same_bits(run_with(Device::cpu, *gpu).all, got.all)) << "different bits when run again";
    if (!want.in_two_formats) return;
    SCOPED_TRACE("bf16");
    const auto rounded = [&](Device device, const Kernels& kernels) {
      return run_call(device, kernels, layout, true, call);
    };
    const Results half = rounded(Device::cpu, *gpu);
    expect_rounded(half, rounded(Device::reference, kernels(Device::reference)), tolerance);
    EXPECT_TRUE(same_bits(rounded(Device::cpu, *gpu).all, half.all)) << "different bits when run again";
  }
}

// compare() over every size and layout; call(stage, rows, cols).
template <class Call>
void compare_sizes(Tolerance tolerance, Call call) {
  for (const auto& [rows, cols] : kSizes) {
    for (const Layout layout : kLayouts) {
      SCOPED_TRACE(::testing::Message() << "[" << rows << ", " << cols << "]"
                                        << (layout == Layout::strided ? ", strided rows" : ""));
      compare(layout, tolerance, [&, r = rows, c = cols](Stage& stage) { call(stage, r, c); });
    }
  }
}

}  // namespace locus::testing
