// The learning rate as a function of the step: a linear warm-up, then one of four shapes.
//
//   warm-up         rate * step / warmup                               for step = 1 .. warmup
//   then, with t = (step - warmup - 1) / (steps - warmup), which runs from 0 to just below 1:
//   constant        rate
//   linear          rate * (floor + (1 - floor) (1 - t))
//   cosine          rate * (floor + (1 - floor) (1 + cos(pi t)) / 2)
//   stable-decay    rate until the last `decay` steps, then linear decay to the floor
//
// The rate is above 0 in the first and in the last step, so every step has an effect. After the last step it
// is rate * floor.
#pragma once

#include <cstdint>

namespace locus {

struct Schedule {
  enum class Shape { constant, linear, cosine, stable_decay };
  Shape shape = Shape::cosine;
  double rate = 1e-3;
  double floor = 0;  // final rate as a fraction of `rate`
  int64_t warmup = 0, steps = 1;
  int64_t decay = 0;  // stable_decay only: length of the final decay in steps

  double at(int64_t step) const;  // steps are numbered from 1
};

}  // namespace locus
