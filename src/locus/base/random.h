// Counter-based random numbers: Philox 4x32-10 (Salmon et al. 2011). A value depends only on seed, stream and
// index: not on threads, the order of calls, or how many values were generated before.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace locus {

using PhiloxBlock = std::array<uint32_t, 4>;

inline constexpr uint32_t kPhiloxMultiplier0 = 0xD2511F53u;
inline constexpr uint32_t kPhiloxMultiplier1 = 0xCD9E8D57u;
inline constexpr uint32_t kPhiloxWeyl0 = 0x9E3779B9u;
inline constexpr uint32_t kPhiloxWeyl1 = 0xBB67AE85u;

constexpr PhiloxBlock philox(PhiloxBlock counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{kPhiloxMultiplier0} * counter[0];
    const uint64_t b = uint64_t{kPhiloxMultiplier1} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  return counter;
}

class Random {
 public:
  Random(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}

  // The four values with indices 4*block .. 4*block+3.
  PhiloxBlock block(uint64_t block) const {
    return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                   static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)},
                  static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
  }
  uint32_t bits(uint64_t index) const { return block(index / 4)[index % 4]; }
  // 16 bits. Each 32-bit word gives two values, the low half first.
  uint32_t half(uint64_t index) const {
    return block(index / 8)[index % 8 / 2] >> (16 * (index % 2)) & 0xffffu;
  }
  // Uniform in [0, 1): 24 random bits, every value exact in f32.
  float uniform(uint64_t index) const { return static_cast<float>(bits(index) >> 8) * 0x1p-24f; }
  // Standard normal (Box-Muller on two values of one block).
  float normal(uint64_t index) const {
    const PhiloxBlock four = block(index / 4);
    const size_t pair = index % 4 / 2 * 2;
    const double radius = std::sqrt(-2.0 * std::log((four[pair] + 0.5) * 0x1p-32));
    const double angle = 2.0 * std::numbers::pi * (four[pair + 1] * 0x1p-32);
    return static_cast<float>(radius * (index % 2 == 0 ? std::cos(angle) : std::sin(angle)));
  }
  // Integer in [0, n), n > 0: the high half of a 64-bit product. The bias is below n / 2^32.
  uint32_t below(uint64_t index, uint32_t n) const {
    return static_cast<uint32_t>((uint64_t{bits(index)} * n) >> 32);
  }

  uint64_t seed() const { return seed_; }
  uint64_t stream() const { return stream_; }

 private:
  uint64_t seed_;
  uint64_t stream_;
};

}  // namespace locus
