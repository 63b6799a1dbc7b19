// The learning rate as a function of the step: a rise, then one of four shapes.
//
//   warm-up         rate * step / warmup                               for step = 1 .. warmup
//   then, with t = (step - warmup - 1) / (steps - warmup), from 0 up to just below 1,
//   constant        rate
//   linear          rate * (floor + (1 - floor) (1 - t))
//   cosine          rate * (floor + (1 - floor) (1 + cos(pi t)) / 2)
//   stable-decay    rate until the last `decay` steps, then linearly down to the floor
//
// The first step has a rate above 0, and so has the last: no step is without effect. Past the end the floor
// holds.
#pragma once

#include <cstdint>

namespace locus {

struct Schedule {
  enum class Shape { constant, linear, cosine, stable_decay };
  Shape shape = Shape::cosine;
  double rate = 1e-3;
  double floor = 0;  // as a part of the rate
  int64_t warmup = 0, steps = 1;
  int64_t decay = 0;  // of stable_decay: how many steps at the end

  double at(int64_t step) const;  // step counts from 1
};

}  // namespace locus
