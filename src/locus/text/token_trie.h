// The tokens of a vocabulary as a trie over their bytes, to find the tokens that begin at a place in a text.
// The edges are in one flat hash table, with one or two probes per byte.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "locus/base/error.h"

namespace locus {

class TokenTrie {
 public:
  // The node that a walk along some bytes reaches.
  struct Node {
    uint32_t number = kNone;
    int32_t id = -1;  // the token that ends here; -1: none
    bool exists() const { return number != kNone; }
  };

  TokenTrie() : steps_(1024) {}

  // Reserves memory for more nodes. A typical vocabulary has slightly more than two nodes per token.
  void reserve(size_t nodes) {
    require(nodes < kMostNodes - ids_.size(),
            "vocabulary too large: its tokens have {} different prefixes, expected fewer than {}",
            ids_.size() + nodes, kMostNodes);
    const size_t size = std::bit_ceil(2 * (ids_.size() + nodes));
    if (size <= steps_.size()) return;
    ids_.reserve(size / 2);
    std::vector<Step> old(size);
    old.swap(steps_);
    for (const Step& step : old) {
      if (step.key != kEmpty) steps_[place(step.key)] = step;
    }
  }
  // Adds a token, or replaces its id. Returns the previous id, or -1.
  int32_t add(std::string_view token, int32_t id) {
    check_length(token);
    reserve(token.size());
    uint32_t node = 0;
    for (const char c : token) node = step(node, c);
    return std::exchange(ids_[node], id);
  }
  // Adds tokens(i) = {token, id} for i < count, and calls had(i, previous id or -1). Eight tokens are added
  // together: their memory accesses overlap, which takes half the time.
  template <class Tokens, class Had>
  void add_all(size_t count, Tokens&& tokens, Had&& had) {
    constexpr size_t kFew = 8;
    for (size_t first = 0; first < count; first += kFew) {
      const size_t few = std::min(kFew, count - first);
      std::pair<std::string_view, int32_t> token[kFew];
      uint32_t node[kFew] = {};
      size_t all = 0, longest = 0;
      for (size_t i = 0; i < few; ++i) {
        token[i] = tokens(first + i);
        check_length(token[i].first);
        all += token[i].first.size();
        longest = std::max(longest, token[i].first.size());
      }
      reserve(all);
      for (size_t depth = 0; depth < longest; ++depth) {
        for (size_t i = 0; i < few; ++i) {
          if (depth < token[i].first.size()) node[i] = step(node[i], token[i].first[depth]);
        }
      }
      for (size_t i = 0; i < few; ++i) had(first + i, std::exchange(ids_[node[i]], token[i].second));
    }
  }

  Node root() const { return {0, ids_[0]}; }
  Node next(Node node, char c) const {
    const uint32_t key = key_of(node.number, c);
    const Step& step = steps_[place(key)];
    return step.key == key ? Node{step.node, ids_[step.node]} : Node();
  }
  Node walk(std::string_view bytes) const {
    Node node = root();
    for (size_t i = 0; i < bytes.size() && node.exists(); ++i) node = next(node, bytes[i]);
    return node;
  }
  int32_t find(std::string_view token) const { return walk(token).id; }

  struct Match {
    size_t length = 0;  // 0: none
    int32_t id = -1;
  };
  // The longest token that `bytes` begin with, walking from `node`.
  Match longest(std::string_view bytes, Node node) const {
    Match best;
    for (size_t i = 0; i < bytes.size() && node.exists(); ++i) {
      node = next(node, bytes[i]);
      if (node.id >= 0) best = {i + 1, node.id};
    }
    return best;
  }
  Match longest(std::string_view bytes) const { return longest(bytes, root()); }

 private:
  // Limits the time of a walk, which may be as long as the longest token.
  static constexpr size_t kLongest = 1024;
  static void check_length(std::string_view token) {
    require(token.size() <= kLongest, "token too long in the vocabulary: got {} bytes, expected at most {}",
            token.size(), kLongest);
  }

  static constexpr uint32_t kNone = static_cast<uint32_t>(-1);
  static constexpr size_t kMostNodes = size_t{1} << 24;  // node numbers take three bytes of a key
  static constexpr uint32_t kEmpty = ~uint32_t{0};
  // Small, because a walk spends most of its time waiting for memory.
  struct Step {
    uint32_t key = kEmpty;  // the node's number and the byte
    uint32_t node = kNone;
  };

  static uint32_t key_of(uint32_t node, char c) { return node << 8 | static_cast<unsigned char>(c); }
  // The next node, created if it does not exist. Its memory must be reserved.
  uint32_t step(uint32_t node, char c) {
    const uint32_t key = key_of(node, c);
    Step& step = steps_[place(key)];
    if (step.key != key) {
      step = {key, static_cast<uint32_t>(ids_.size())};
      ids_.push_back(-1);
    }
    return step.node;
  }
  size_t place(uint32_t key) const {
    const size_t mask = steps_.size() - 1;
    size_t i = key * 0x9e3779b1u >> (32 - std::countr_zero(steps_.size()));
    while (steps_[i].key != key && steps_[i].key != kEmpty) i = (i + 1) & mask;
    return i;
  }

  std::vector<Step> steps_;
  std::vector<int32_t> ids_ = {-1};  // by node; the first is the root
};

}  // namespace locus
