// A random permutation of 0 .. size-1 as a function. Each element costs a few dozen random numbers and no
// memory, so that any one of a billion samples can be found without computing the others. It is a Feistel
// network of Philox rounds over the smallest power 4^n that is at least the size. Results outside of the
// range go through the network again (cycle walking), so the function is a bijection.
#pragma once

#include <bit>
#include <cstdint>

#include "locus/base/error.h"
#include "locus/base/random.h"

namespace locus {

class Permutation {
 public:
  // The permutation depends on size, seed and stream only.
  Permutation(int64_t size, uint64_t seed, uint64_t stream)
      : size_(static_cast<uint64_t>(size)), seed_(seed), stream_(stream) {
    require(size >= 0, "permutation: size is {}, expected 0 or more", size);
    half_ = size < 2 ? 1 : (static_cast<int>(std::bit_width(size_ - 1)) + 1) / 2;
  }

  int64_t size() const { return static_cast<int64_t>(size_); }

  // The image of `index`, 0 <= index < size().
  int64_t operator()(int64_t index) const {
    require(index >= 0 && index < size(), "permutation: index is {}, expected 0 to {}", index, size() - 1);
    auto value = static_cast<uint64_t>(index);
    do value = network(value);
    while (value >= size_);
    return static_cast<int64_t>(value);
  }

 private:
  static constexpr uint32_t kRounds = 6;

  uint64_t network(uint64_t value) const {
    const uint64_t mask = (uint64_t{1} << half_) - 1;
    uint64_t left = value >> half_, right = value & mask;
    for (uint32_t round = 0; round < kRounds; ++round) {
      const uint64_t mixed = left ^ (random(right, round) & mask);
      left = right;
      right = mixed;
    }
    return left << half_ | right;
  }

  uint64_t random(uint64_t value, uint32_t round) const {
    // `value` has at most 32 bits: a size has 63, each half 32.
    const PhiloxBlock block = philox({static_cast<uint32_t>(value), round, static_cast<uint32_t>(stream_),
                                      static_cast<uint32_t>(stream_ >> 32)},
                                     static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
    return block[0];
  }

  uint64_t size_, seed_, stream_;
  int half_;
};

}  // namespace locus
