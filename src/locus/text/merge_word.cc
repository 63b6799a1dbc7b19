#include "locus/text/merge_word.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/text/pair_queue.h"

namespace locus {
namespace {

constexpr uint32_t kNoNode = std::numeric_limits<uint32_t>::max();

struct Node {
  int32_t id;  // -1: merged into the node before it
  uint32_t before, behind;
};

class LongWord {
 public:
  LongWord(const MergeTable& table, const std::vector<int32_t>& ids) : table_(table), nodes_(ids.size()) {
    const auto count = static_cast<uint32_t>(ids.size());
    for (uint32_t i = 0; i < count; ++i) nodes_[i] = {ids[i], i == 0 ? kNoNode : i - 1, i + 1};
    nodes_.back().behind = kNoNode;
    for (uint32_t i = 0; i + 1 < count; ++i) push(i);
  }

  void merge_all() {
    while (!queue_.empty()) {
      const PairQueue::Pair pair = queue_.pop();
      // The pair may be gone; the one that stands there now is in the queue by itself.
      const MergeTable::Answer answer = ask(pair.place);
      if (answer.rank == pair.rank) merge(pair.place, answer.result);
    }
  }

  void write(std::vector<int32_t>& ids) const {
    ids.clear();
    for (uint32_t i = 0; i != kNoNode; i = nodes_[i].behind) ids.push_back(nodes_[i].id);
  }

 private:
  MergeTable::Answer ask(uint32_t place) const {
    const Node& node = nodes_[place];
    if (node.id < 0 || node.behind == kNoNode) return {};
    return table_.find(node.id, nodes_[node.behind].id);
  }

  void merge(uint32_t place, int32_t result) {
    Node& node = nodes_[place];
    Node& right = nodes_[node.behind];
    node.id = result;
    node.behind = right.behind;
    right.id = -1;
    if (node.behind != kNoNode) nodes_[node.behind].before = place;
    if (node.before != kNoNode) push(node.before);
    push(place);
  }

  void push(uint32_t place) {
    const uint32_t rank = ask(place).rank;
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
  require(ids.size() < kNoNode, "a word of {} bytes without a break, expected less than {}", ids.size(),
          kNoNode);
  LongWord word(table, ids);
  word.merge_all();
  word.write(ids);
}

}  // namespace locus
