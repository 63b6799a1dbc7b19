#include "locus/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace locus {
namespace {

// Falls linearly from 1 at step 1 to 0 at step count + 1.
double left_over(int64_t step, int64_t count) {
  if (step > count) return 0;
  return 1 - static_cast<double>(step - 1) / static_cast<double>(count);
}

}  // namespace

double Schedule::at(int64_t step) const {
  if (step <= warmup) return rate * static_cast<double>(step) / static_cast<double>(warmup);
  const auto between = [&](double part) { return rate * (floor + (1 - floor) * part); };
  switch (shape) {
    case Shape::constant:
      return rate;
    case Shape::linear:
      return between(left_over(step - warmup, steps - warmup));
    case Shape::cosine:
      return between((1 - std::cos(std::numbers::pi * left_over(step - warmup, steps - warmup))) / 2);
    case Shape::stable_decay: {
      const int64_t stable = std::max(warmup, steps - decay);
      return step <= stable ? rate : between(left_over(step - stable, steps - stable));
    }
  }
  return rate;
}

}  // namespace locus
