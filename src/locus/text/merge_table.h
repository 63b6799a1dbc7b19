// The BPE merges: which pairs of neighboring tokens merge into which token, and in which order.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace locus {

struct Merge {
  int32_t left, right, result;
  uint32_t rank;  // the pair with the lowest rank in a word merges first
};

// A flat hash table from pairs to merges. Most lookups find nothing, and touch one cache line.
class MergeTable {
 public:
  static constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();
  struct Answer {
    uint32_t rank = kNever;
    int32_t result = -1;
  };

  MergeTable() : MergeTable(std::span<const Merge>{}) {}
  explicit MergeTable(std::span<const Merge> merges)  // unique pairs
      : slots_(std::bit_ceil(2 * merges.size() + 1)),
        shift_(64 - std::countr_zero(slots_.size())),
        mask_(slots_.size() - 1) {
    for (const Merge& merge : merges) {
      size_t i = start(key(merge.left, merge.right));
      while (slots_[i].key != kEmpty) i = (i + 1) & mask_;
      slots_[i] = {key(merge.left, merge.right), {merge.rank, merge.result}};
    }
  }

  Answer find(int32_t left, int32_t right) const {
    const uint64_t wanted = key(left, right);
    for (size_t i = start(wanted);; i = (i + 1) & mask_) {
      if (slots_[i].key == wanted) return slots_[i].answer;
      if (slots_[i].key == kEmpty) return {};
    }
  }

 private:
  static constexpr uint64_t kEmpty = std::numeric_limits<uint64_t>::max();
  struct Slot {
    uint64_t key = kEmpty;
    Answer answer;
  };

  static uint64_t key(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  // The high bits of a product depend on every bit of the key. A table of one slot needs no bits.
  size_t start(uint64_t key) const {
    const uint64_t mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
    return shift_ == 64 ? 0 : static_cast<size_t>(mixed >> shift_);
  }

  std::vector<Slot> slots_;
  int shift_;
  size_t mask_;
};

}  // namespace locus
