// Measures processor time, for tests of how time grows with size: the minimum of three runs, because the
// machine may be busy.
#pragma once

#include <algorithm>
#include <ctime>

namespace locus {

template <class F>
double least_seconds(F run) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    run();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

}  // namespace locus
