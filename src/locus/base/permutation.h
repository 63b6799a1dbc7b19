// A shuffled order of 0 .. size-1 as a function: the i-th number costs a few dozen random draws and no
// memory, so one of a billion samples can be found without the others. A Feistel network of Philox rounds
// over the smallest square power of two that holds the size; what falls outside goes through again (cycle
// walking), so the whole is a bijection.
#pragma once

#include <bit>
#include <cstdint>

#include "locus/base/error.h"
#include "locus/base/random.h"

namespace locus {

class Permutation {
 public:
  // A function of (size, seed, stream) alone.
  Permutation(int64_t size, uint64_t seed, uint64_t stream)
      : size_(static_cast<uint64_t>(size)), seed_(seed), stream_(stream) {
    require(size >= 0, "permutation: the size is {}, expected 0 or more", size);
    half_ = size < 2 ? 1 : (static_cast<int>(std::bit_width(size_ - 1)) + 1) / 2;
  }

  int64_t size() const { return static_cast<int64_t>(size_); }

  // Where `index` goes, 0 <= index < size().
  int64_t operator()(int64_t index) const {
    require(index >= 0 && index < size(), "permutation: the index is {}, expected 0 to {}", index,
            size() - 1);
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
    // `value` has 32 bits at most: sizes have 63, halves 32.
    const PhiloxBlock block = philox({static_cast<uint32_t>(value), round, static_cast<uint32_t>(stream_),
                                      static_cast<uint32_t>(stream_ >> 32)},
                                     static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
    return block[0];
  }

  uint64_t size_, seed_, stream_;
  int half_;
};

}  // namespace locus
