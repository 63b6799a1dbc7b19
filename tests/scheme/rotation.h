// Applies a rotation term as defined in kernel/rotate.h, one pair at a time in double, independently of the
// kernels.
#pragma once

#include "locus/op/terms.h"

namespace locus {

// x [N, H*D] has heads of size `head_size`; keys use the tables and rows of keys.
inline std::vector<double> rotated(const Tensor& x, const RotationTerm& term, int64_t head_size, bool keys) {
  const Tensor& cos = keys && term.key_cos ? term.key_cos : term.cos;
  const Tensor& sin = keys && term.key_sin ? term.key_sin : term.sin;
  const auto rows = (keys ? term.key_rows : term.query_rows).values();
  const std::vector<float> values = x.values();
  std::vector<double> result(values.begin(), values.end());
  const int64_t columns = x.size(1), half = term.width / 2;
  for (int64_t token = 0; token < x.size(0); ++token) {
    for (int64_t head = 0; head < columns; head += head_size) {
      for (int64_t n = 0; n < half; ++n) {
        const int64_t start = token * columns + head;
        const int64_t first = start + (term.interleaved ? 2 * n : n);
        const int64_t second = start + (term.interleaved ? 2 * n + 1 : n + half);
        const double c = cos.data<float>()[rows[token] * half + n],
                     s = sin.data<float>()[rows[token] * half + n];
        const double a = values[first], b = values[second];
        result[first] = a * c - b * s;
        result[second] = a * s + b * c;
      }
    }
  }
  return result;
}

}  // namespace locus
