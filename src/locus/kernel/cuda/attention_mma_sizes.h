// Sizes of the blocks of attention on tensor cores, for the kernels and for their launches.
#pragma once

#include <cstdint>

namespace locus::kernel::cuda {

constexpr int kOther = 64;            // rows of a tile that a block goes over
constexpr int kForwardRows = 128;     // queries of a block
constexpr int kRing = 256;            // distances of a block: at least the rows of both tiles
constexpr int kSkewed = 72;           // distances of 8 rows; 8 modulo 32, so that rows are in different banks
constexpr int kDistancesOfWarp = 96;  // at least its own rows and kOther

// 16-row pieces of the queries or keys that a warp owns in the backward pass. Of long rows the sums of two
// would not fit into registers.
constexpr int backward_pieces(int64_t head_size) { return head_size <= 64 ? 2 : 1; }
constexpr int backward_rows(int64_t head_size) { return 64 * backward_pieces(head_size); }

// Bytes of shared memory: own rows, two tiles of other rows of two kinds, and the numbers that terms need.
constexpr int64_t forward_bytes(int64_t head_size, bool terms) {
  return 2 * head_size * (kForwardRows + 4 * kOther) + (terms ? 4 * 2 * (kForwardRows + kOther) : 0);
}
constexpr int64_t backward_tile_bytes(int64_t head_size, bool terms) {
  const int64_t own = backward_rows(head_size);
  return 2 * head_size * (2 * own + 4 * kOther) + (terms ? 4 * 2 * (own + kOther) : 0);
}
constexpr int64_t queries_bytes(int64_t head_size, bool terms) {
  const int64_t distances = kRing + 2 * 4 * kDistancesOfWarp + 4 * 8 * kSkewed;
  return backward_tile_bytes(head_size, terms) + (terms ? 4 * distances : 0);
}
constexpr int64_t keys_bytes(int64_t head_size, bool terms) {
  return backward_tile_bytes(head_size, terms) + 4 * 4 * kOther;
}

}  // namespace locus::kernel::cuda
