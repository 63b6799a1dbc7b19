// The device whose results tests compare with those of the CPU: `fenced`, with the bits of the CPU, from
// memory that the host cannot read. With ./run test --device cuda it is the GPU, which agrees up to rounding.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "locus/tensor/device.h"

namespace locus::testing {

inline Device other_device() {
  const char* const name = std::getenv("LOCUS_TEST_DEVICE");
  return name != nullptr && std::string_view(name) == name_of(Device::cuda) ? Device::cuda : Device::fenced;
}

// The floating-point numbers of a result, and everything else as text.
struct Parts {
  std::vector<double> numbers;
  std::string rest;

  void add(std::floating_point auto value) { numbers.push_back(static_cast<double>(value)); }
  void add(std::integral auto value) { rest += std::to_string(value) + "\n"; }
  void add(const std::string& value) { rest += value + "\n"; }
  template <class A, class B>
  void add(const std::pair<A, B>& value) {
    add(value.first);
    add(value.second);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  template <class K, class T>
  void add(const std::map<K, T>& values) {
    for (const auto& value : values) add(value);
  }
};

// Of the largest number of a result. The CPU and the GPU add some thousand float32 terms in different orders,
// and each is within 1e-4 of sums in double, as the conformance tests check.
inline constexpr double kOtherDevice = 2e-4;

// `got` is a result on other_device(), `wanted` one on the CPU: numbers, texts, and pairs, lists and maps of
// them.
template <class T>
void expect_same(const T& got, const T& wanted, std::string_view what = "") {
  if (other_device() != Device::cuda) {
    EXPECT_EQ(got, wanted) << what;
    return;
  }
  Parts mine, other;
  mine.add(got);
  other.add(wanted);
  EXPECT_EQ(mine.rest, other.rest) << what;
  ASSERT_EQ(mine.numbers.size(), other.numbers.size()) << what;
  double largest = 0;
  for (const double number : other.numbers) largest = std::max(largest, std::abs(number));
  for (size_t i = 0; i < other.numbers.size(); ++i) {
    ASSERT_NEAR(mine.numbers[i], other.numbers[i], kOtherDevice * largest) << what << ", number " << i;
  }
}

}  // namespace locus::testing
