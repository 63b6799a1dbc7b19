// What the machine allows, measured in the same run, at the same footprint and with the same threads as the
// kernel it is held against.
#pragma once

#include <cstdint>

namespace locus::bench {

enum class Limit {
  copy,   // GB/s read and written by a memcpy from one half of the footprint to the other
  fresh,  // the same into memory that was never touched, as what is read from files goes
  scale,  // GB/s read and written by x *= a over the footprint
  read,   // GB/s read by a sum over the footprint
  fma,    // GFLOP/s of multiply-adds that touch no memory; the footprint plays no part
};

const char* name_of(Limit limit);

double measure(Limit limit, int64_t footprint);

}  // namespace locus::bench
