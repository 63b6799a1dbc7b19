// The pairs of a long word in the order they merge: by rank, then by place. Places of one rank mostly come in
// ascending order and are then read like a list; in one heap over the pairs of ten million letters, every
// step would miss the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace locus {

class PairQueue {
 public:
  struct Pair {
    uint32_t rank, place;
  };

  bool empty() const { return ranks_.empty(); }

  void push(Pair pair) {
    Places& places = places_[pair.rank];
    if (places.empty()) ranks_.push(pair.rank);
    places.push(pair.place);
  }

  Pair pop() {
    const uint32_t rank = ranks_.top();
    Places& places = places_.find(rank)->second;
    const uint32_t place = places.pop();
    if (places.empty()) ranks_.pop();
    return {rank, place};
  }

 private:
  // Of one rank, the smallest first.
  class Places {
   public:
    bool empty() const { return next_ == ascending_.size() && late_.empty(); }

    void push(uint32_t place) {
      if (next_ == ascending_.size()) {
        ascending_.clear();
        next_ = 0;
      }
      if (ascending_.empty() || place >= ascending_.back()) {
        ascending_.push_back(place);
      } else {
        late_.push(place);
      }
    }

    uint32_t pop() {
      const bool listed = next_ < ascending_.size();
      if (listed && (late_.empty() || ascending_[next_] <= late_.top())) return ascending_[next_++];
      const uint32_t place = late_.top();
      late_.pop();
      return place;
    }

   private:
    std::vector<uint32_t> ascending_;
    size_t next_ = 0;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> late_;
  };

  std::unordered_map<uint32_t, Places> places_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ranks_;  // those that have places
};

}  // namespace locus
