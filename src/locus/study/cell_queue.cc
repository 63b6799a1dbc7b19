#include "locus/study/cell_queue.h"

#include <algorithm>

namespace locus::study {

void CellQueue::add(CellName name, bool only_tests) { left_.push_back({std::move(name), only_tests}); }

void CellQueue::learn(const Cell& cell) {
  double& seconds = step_seconds_[cell.name.scheme];
  seconds = std::max(seconds, cell.step_seconds);
  most_seconds_ = step_seconds_.size() == 1 ? seconds : std::max(most_seconds_, seconds);
}

double CellQueue::expected_seconds(const Left& left) const {
  constexpr double kTestShare = 0.1;  // of the time of a cell
  const auto known = step_seconds_.find(left.name.scheme);
  const double step = known == step_seconds_.end() ? most_seconds_ : known->second;
  const auto effort = static_cast<double>(study_.task_named(left.name.task).effort);
  return step * effort * (left.only_tests ? kTestShare : 1);
}

CellName CellQueue::take() {
  const auto shorter = [&](const Left& a, const Left& b) {
    return expected_seconds(a) < expected_seconds(b);
  };
  const auto chosen = longest_first_ ? std::max_element(left_.begin(), left_.end(), shorter) : left_.begin();
  CellName name = std::move(chosen->name);
  left_.erase(chosen);
  return name;
}

}  // namespace locus::study
