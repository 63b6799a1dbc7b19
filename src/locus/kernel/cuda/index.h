// Arithmetic on indices that the kernels of the GPU and their launches share. The tests run it on the CPU.
#pragma once

#include <cstdint>

namespace locus::kernel::cuda {

constexpr int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// Sums over rows are added in parts of this many rows, enough parts for all multiprocessors.
constexpr int64_t part_grain(int64_t rows) { return larger(16, divided_up(rows, 256)); }
constexpr int64_t part_count(int64_t rows) { return divided_up(rows, part_grain(rows)); }

// Packed sequences are cut into tiles of rows that never cross a boundary. Sequence b has the tiles from
// first_tile(starts[b], b), enough for its rows, so the number of tiles follows from the number of rows and
// sequences: the host need not read the starts. Some tiles are past the end of their sequence.
inline constexpr int64_t kTile = 64;
constexpr int64_t first_tile(int64_t start, int64_t b, int64_t size = kTile) { return start / size + b; }
constexpr int64_t tile_count(int64_t rows, int64_t sequences, int64_t size = kTile) {
  return rows / size + sequences;
}

// The sequence of a tile: the last whose first tile is not after it.
constexpr int64_t sequence_of(int64_t tile, const int32_t* starts, int64_t sequences, int64_t size = kTile) {
  int64_t low = 0, high = sequences - 1;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (first_tile(starts[middle], middle, size) <= tile) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

struct Range {
  int64_t first = 0, last = 0;  // [first, last); empty if last <= first
};

// Query i of `queries` is at place i + keys - queries among the keys.
struct Mask {
  int64_t queries = 0, keys = 0;
  bool causal = false;
  int64_t window = 0;

  constexpr bool sees(int64_t i, int64_t j) const {
    const int64_t own = i + keys - queries, distance = own > j ? own - j : j - own;
    return !(causal && j > own) && !(window != 0 && distance >= window);
  }
  // The keys that some query in [first, last) sees.
  constexpr Range keys_of(int64_t first, int64_t last) const {
    Range range = {0, keys};
    const int64_t shift = keys - queries;
    if (window != 0)
      range = {larger(0, first + shift - window + 1), smaller(keys, last - 1 + shift + window)};
    if (causal) range.last = smaller(range.last, last + shift);
    return range;
  }
  // The queries that see some key in [first, last).
  constexpr Range queries_of(int64_t first, int64_t last) const {
    Range range = {0, queries};
    const int64_t shift = keys - queries;
    if (window != 0)
      range = {larger(0, first - shift - window + 1), smaller(queries, last - 1 - shift + window)};
    if (causal) range.first = larger(range.first, first - shift);
    return range;
  }
};

// The 16 random bits of an index are in word (index % 8) / 2 of Philox block index / 8, in the low half
// first.
constexpr uint64_t half_block(uint64_t index) { return index / 8; }
constexpr int half_word(uint64_t index) { return static_cast<int>(index % 8 / 2); }
constexpr int half_shift(uint64_t index) { return static_cast<int>(16 * (index % 2)); }

}  // namespace locus::kernel::cuda
