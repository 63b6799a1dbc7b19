// Maps the bytes of a token to its id, and finds the pairs of tokens that a token can be split into. The hash
// is a polynomial over the bytes, so one pass over a token gives the hashes of all its prefixes and suffixes.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace locus {

class TokenIndex {
 public:
  explicit TokenIndex(size_t tokens) : slots_(std::bit_ceil(2 * tokens + 1)) {}

  // The bytes must outlive the index. Returns false if they are already in it.
  bool add(std::string_view bytes, int32_t id) {
    uint64_t hash = 0;
    for (const char c : bytes) hash = extended(hash, c);
    Slot& slot = place(bytes, hash);
    if (slot.id >= 0) return false;
    slot = {bytes, hash, id};
    return true;
  }

  // Calls f(left id, right id) for every split of the bytes into two tokens.
  template <class F>
  void each_cut(std::string_view bytes, F&& f) {
    if (bytes.size() < 2) return;
    heads_.assign(1, 0);
    powers_.assign(1, 1);
    for (const char c : bytes) {
      heads_.push_back(extended(heads_.back(), c));
      powers_.push_back(powers_.back() * kBase);
    }
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
      const int32_t left = place(bytes.substr(0, cut), heads_[cut]).id;
      if (left < 0) continue;
      const uint64_t tail = heads_.back() - heads_[cut] * powers_[bytes.size() - cut];
      const int32_t right = place(bytes.substr(cut), tail).id;
      if (right >= 0) f(left, right);
    }
  }

 private:
  static constexpr uint64_t kBase = 0x5851f42d4c957f2du;
  struct Slot {
    std::string_view bytes;
    uint64_t hash = 0;
    int32_t id = -1;
  };

  static uint64_t extended(uint64_t hash, char c) { return hash * kBase + static_cast<unsigned char>(c) + 1; }

  // The slot of the bytes, or the empty slot where they belong.
  Slot& place(std::string_view bytes, uint64_t hash) {
    const size_t mask = slots_.size() - 1;
    size_t i = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u >> 32 & mask;
    while (slots_[i].id >= 0 && (slots_[i].hash != hash || slots_[i].bytes != bytes)) i = (i + 1) & mask;
    return slots_[i];
  }

  std::vector<Slot> slots_;
  std::vector<uint64_t> heads_, powers_;  // scratch memory of each_cut()
};

}  // namespace locus
