// How long something takes, for tests of how its time grows: the least of three runs of processor time, as
// machines are busy.
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
