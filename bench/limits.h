// The limits of the machine, measured in the same run, at the same footprint and with the same number of
// threads as the kernel that is compared with them.
#pragma once

#include <cstdint>

namespace locus::bench {

enum class Limit {
  copy,   // GB/s read and written by a memcpy from one half of the footprint to the other
  fresh,  // the same into memory that was never touched, like the destination of a file read
  scale,  // GB/s read and written by x *= a over the footprint
  read,   // GB/s read by a sum over the footprint
  fma,    // GFLOP/s of multiply-adds in registers; independent of the footprint
};

const char* name_of(Limit limit);

double measure(Limit limit, int64_t footprint);

}  // namespace locus::bench
