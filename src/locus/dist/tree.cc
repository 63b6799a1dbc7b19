#include "locus/dist/tree.h"

namespace locus::dist {

Subtree risen(Subtree subtree, int count) {
  const auto is_left_half = [&] { return (subtree.begin >> subtree.level) % 2 == 0; };
  while ((1 << subtree.level) < count && is_left_half() && subtree.begin + (1 << subtree.level) >= count) {
    ++subtree.level;
  }
  return subtree;
}

bool are_halves(Subtree left, Subtree right) {
  return left.level == right.level && left.begin + (1 << left.level) == right.begin &&
         (left.begin >> left.level) % 2 == 0;
}

std::vector<Subtree> subtrees_of(int count, int begin, int end) {
  require(count >= 1 && begin >= 0 && begin <= end && end <= count,
          "tree sum: got terms {} to {}, expected a range of the {} terms", begin, end, count);
  struct Nothing {};
  const auto add = [](Nothing&, const Nothing&) {};
  TreeSum<Nothing, decltype(add)> sum(count, add);
  for (int term = begin; term < end; ++term) sum.take({term, 0}, {});
  std::vector<Subtree> subtrees;
  for (const auto& [subtree, nothing] : sum.left()) subtrees.push_back(subtree);
  return subtrees;
}

}  // namespace locus::dist
