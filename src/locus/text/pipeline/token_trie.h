// The tokens of a vocabulary by their bytes, for asking which of them begin at a place in a text: a trie
// whose steps lie in one flat hash table, a probe or two for each byte.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace locus {

class TokenTrie {
 public:
  static constexpr uint32_t kRoot = 0, kNowhere = static_cast<uint32_t>(-1);

  TokenTrie() : steps_(1024), ids_(1, -1) {}

  // Of a token that is there already, the id becomes this one.
  void add(std::string_view token, int32_t id) {
    uint32_t node = kRoot;
    for (const char c : token) {
      if (2 * ids_.size() >= steps_.size()) grow();
      const uint64_t key = key_of(node, c);
      Step& step = steps_[place(key)];
      if (step.key != key) {
        step = {key, static_cast<uint32_t>(ids_.size())};
        ids_.push_back(-1);
      }
      node = step.node;
    }
    ids_[node] = id;
  }

  uint32_t next(uint32_t node, char c) const {
    const uint64_t key = key_of(node, c);
    const Step& step = steps_[place(key)];
    return step.key == key ? step.node : kNowhere;
  }
  uint32_t walk(uint32_t node, std::string_view bytes) const {
    for (size_t i = 0; i < bytes.size() && node != kNowhere; ++i) node = next(node, bytes[i]);
    return node;
  }
  int32_t id(uint32_t node) const { return ids_[node]; }  // of the token that ends there; -1: none does
  int32_t find(std::string_view token) const {
    const uint32_t node = walk(kRoot, token);
    return node == kNowhere ? -1 : ids_[node];
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  struct Step {
    uint64_t key = kEmpty;
    uint32_t node = 0;
  };

  static uint64_t key_of(uint32_t node, char c) {
    return uint64_t{node} << 8 | static_cast<unsigned char>(c);
  }
  size_t place(uint64_t key) const {
    const size_t mask = steps_.size() - 1;
    size_t i = key * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(steps_.size()));
    while (steps_[i].key != key && steps_[i].key != kEmpty) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Step> old(2 * steps_.size());
    old.swap(steps_);
    for (const Step& step : old) {
      if (step.key != kEmpty) steps_[place(step.key)] = step;
    }
  }

  std::vector<Step> steps_;
  std::vector<int32_t> ids_;  // of nodes
};

}  // namespace locus
