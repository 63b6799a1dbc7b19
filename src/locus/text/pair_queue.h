// The pairs of a long word in merge order: by rank, then by place. Places of one rank mostly arrive in
// ascending order and are kept as a list. A single heap over the pairs of ten million letters would miss the
// cache at every step.
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
  // The places of one rank, smallest first.
  class Places {
   public:
    bool empty() const { return next_ == ascending_.size() && unordered_.empty(); }

    void push(uint32_t place) {
      if (next_ == ascending_.size()) {
        ascending_.clear();
        next_ = 0;
      }
      if (ascending_.empty() || place >= ascending_.back()) {
        ascending_.push_back(place);
      } else {
        unordered_.push(place);
      }
    }

    uint32_t pop() {
      const bool listed = next_ < ascending_.size();
      if (listed && (unordered_.empty() || ascending_[next_] <= unordered_.top())) return ascending_[next_++];
      const uint32_t place = unordered_.top();
      unordered_.pop();
      return place;
    }

   private:
    std::vector<uint32_t> ascending_;
    size_t next_ = 0;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> unordered_;
  };

  std::unordered_map<uint32_t, Places> places_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>>
      ranks_;  // ranks with at least one place
};

}  // namespace locus
