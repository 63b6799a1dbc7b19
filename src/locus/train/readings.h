// Numbers that a device computes and the host reads together: the host waits once, however many they are.
#pragma once

#include <vector>

#include "locus/tensor/tensor.h"

namespace locus {

class Readings {
 public:
  Readings(Device device, int64_t most) : numbers_(Tensor::empty({most}, DType::f64, device)) {}

  // Where a kernel writes the next number.
  View next() {
    const int64_t place = count_++;
    return numbers_.columns(place, place + 1).view();
  }
  // All numbers so far.
  std::vector<double> read() const {
    const Tensor here = numbers_.columns(0, count_).on_host();
    const auto all = here.data<double>();
    return {all.begin(), all.end()};
  }

 private:
  Tensor numbers_;
  int64_t count_ = 0;
};

}  // namespace locus
