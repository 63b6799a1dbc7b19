// A sum whose bits do not depend on who holds its terms.
//
// The terms have numbers, 0 to count - 1. They are added in a fixed binary tree: level by level, the sum of a
// block of 2^k terms is added to that of the block before it. A block whose partner lies past the end rises
// unchanged.
//
//   ((0 + 1) + (2 + 3)) + (4 + 5)      for 6 terms
//
// So the parent of a term is its number with the lowest set bit cleared. A rank adds the blocks that it holds
// complete, and sends the few sums that are left to the rank that needs the total, which continues in the
// same tree.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "locus/base/error.h"

namespace locus::dist {

// A subtree: the terms [begin, begin + 2^level), as far as they exist.
struct Subtree {
  int begin = 0, level = 0;
  friend bool operator==(const Subtree&, const Subtree&) = default;
};

// The subtree that contains `subtree` and the same terms, because no other term of it exists.
Subtree risen(Subtree subtree, int count);
// Whether `left` and `right` are the two halves of a subtree.
bool are_halves(Subtree left, Subtree right);

// The subtrees whose sums are left when the terms [begin, end) of `count` are added as far as possible, in
// ascending order. For the terms from 0 on, or up to the last one, there are at most log2(count) + 1; for
// others less than twice that.
std::vector<Subtree> subtrees_of(int count, int begin, int end);

// Adds terms and subtrees that arrive in ascending order. add(a, b) must replace a by a + b.
template <class Value, class Add>
class TreeSum {
 public:
  TreeSum(int count, Add add) : count_(count), add_(std::move(add)) {
    require(count >= 1, "tree sum: got {} terms, expected at least 1", count);
  }

  // The sum of a subtree that another TreeSum left; a term is a subtree of level 0.
  void take(Subtree subtree, Value value) {
    require(subtree.level >= 0 && subtree.level < 31 && subtree.begin >= next_ && subtree.begin < count_ &&
                subtree.begin % (1 << subtree.level) == 0,
            "tree sum: got the subtree at term {} of level {}, expected one from term {} to {}",
            subtree.begin, subtree.level, next_, count_ - 1);
    next_ = subtree.begin + (1 << subtree.level);
    subtree = risen(subtree, count_);
    while (!left_.empty() && are_halves(left_.back().first, subtree)) {
      add_(left_.back().second, value);
      value = std::move(left_.back().second);
      subtree = risen({left_.back().first.begin, subtree.level + 1}, count_);
      left_.pop_back();
    }
    left_.emplace_back(subtree, std::move(value));
  }

  // The subtrees that are left, in ascending order. After all terms it is one, the total.
  std::vector<std::pair<Subtree, Value>>& left() { return left_; }

 private:
  int count_, next_ = 0;
  Add add_;
  std::vector<std::pair<Subtree, Value>> left_;
};

}  // namespace locus::dist
