// Dropout in the calls of locus.torch: its rate, and a seed that is a tensor.
#pragma once

#include "locus/python/caller_memory.h"

namespace locus::python {

// Checks the rate. With a rate above 0, also reads the seed, i64 [2].
inline float dropout_of(std::string_view function, double rate, const OptionalArray& given, uint64_t& seed,
                        uint64_t& stream) {
  require(rate >= 0 && rate < 1, "{}: dropout is {}, expected 0 or more and less than 1", function, rate);
  if (rate == 0) return 0;
  require(given && given->ndim() == 1 && given->shape(0) == 2 && dtype_of_array(*given, "seed") == DType::i64,
          Code::bad_shape, "{}: the seed of dropout is missing or not i64 [2]", function);
  const auto* values = static_cast<const uint64_t*>(given->data());
  seed = values[0];
  stream = values[given->stride(0)];
  return static_cast<float>(rate);
}

}  // namespace locus::python
