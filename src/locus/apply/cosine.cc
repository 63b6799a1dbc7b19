#include "locus/apply/cosine.h"

#include <cmath>

#include "locus/base/error.h"

namespace locus {

double cosine(std::span<const float> a, std::span<const float> b) {
  require(a.size() == b.size(), Code::bad_shape,
          "cosine: the vectors have {} and {} elements, expected equal sizes", a.size(), b.size());
  double product = 0, left = 0, right = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * b[i];
    left += static_cast<double>(a[i]) * a[i];
    right += static_cast<double>(b[i]) * b[i];
  }
  const double lengths = std::sqrt(left) * std::sqrt(right);
  return lengths == 0 ? 0 : product / lengths;
}

}  // namespace locus
