#include "locus/text/merge_word.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/text/pair_queue.h"

namespace locus {
namespace {

constexpr uint32_t kNoNode = std::numeric_limits<uint32_t>::max();

struct Node {
  int32_t id;  // -1: merged into the previous node
  uint32_t previous, next;
};

class LongWord {
 public:
  LongWord(const MergeTable& table, const std::vector<int32_t>& ids) : table_(table), nodes_(ids.size()) {
    const auto count = static_cast<uint32_t>(ids.size());
    for (uint32_t i = 0; i < count; ++i) nodes_[i] = {ids[i], i == 0 ? kNoNode : i - 1, i + 1};
    nodes_.back().next = kNoNode;
    for (uint32_t i = 0; i + 1 < count; ++i) push(i);
  }

  void merge_all() {
    while (!queue_.empty()) {
      const PairQueue::Pair pair = queue_.pop();
      // The pair may no longer exist. A new pair at its place has its own entry in the queue.
      const MergeTable::Answer answer = find(pair.place);
      if (answer.rank == pair.rank) merge(pair.place, answer.result);
    }
  }

  void write(std::vector<int32_t>& ids) const {
    ids.clear();
    for (uint32_t i = 0; i != kNoNode; i = nodes_[i].next) ids.push_back(nodes_[i].id);
  }

 private:
  MergeTable::Answer find(uint32_t place) const {
    const Node& node = nodes_[place];
    if (node.id < 0 || node.next == kNoNode) return {};
    return table_.find(node.id, nodes_[node.next].id);
  }

  void merge(uint32_t place, int32_t result) {
    Node& node = nodes_[place];
    Node& right = nodes_[node.next];
    node.id = result;
    node.next = right.next;
    right.id = -1;
    if (node.next != kNoNode) nodes_[node.next].previous = place;
    if (node.previous != kNoNode) push(node.previous);
    push(place);
  }

  void push(uint32_t place) {
    const uint32_t rank = find(place).rank;
    if (rank != MergeTable::kNever) queue_.push({rank, place});
  }

  const MergeTable& table_;
  std::vector<Node> nodes_;
  PairQueue queue_;
};

}  // namespace

size_t merge_short(const MergeTable& table, int32_t* ids, size_t count) {
  MergeTable::Answer pairs[kShortWord];
  for (size_t i = 0; i + 1 < count; ++i) pairs[i] = table.find(ids[i], ids[i + 1]);
  while (count > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
      if (pairs[i].rank < pairs[best].rank) best = i;
    }
    if (pairs[best].rank == MergeTable::kNever) break;
    ids[best] = pairs[best].result;
    std::copy(ids + best + 2, ids + count, ids + best + 1);
    std::copy(pairs + best + 1, pairs + count - 1, pairs + best);
    --count;
    if (best > 0) pairs[best - 1] = table.find(ids[best - 1], ids[best]);
    if (best + 1 < count) pairs[best] = table.find(ids[best], ids[best + 1]);
  }
  return count;
}

void merge_long(const MergeTable& table, std::vector<int32_t>& ids) {
  if (ids.size() < 2) return;
  require(ids.size() < kNoNode, "word too long: got {} bytes without a break, expected fewer than {}",
          ids.size(), kNoNode);
  LongWord word(table, ids);
  word.merge_all();
  word.write(ids);
}

}  // namespace locus
