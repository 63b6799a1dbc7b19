// The cells of a study that are left to compute. A long cell that starts last keeps all other processes
// waiting, so the longest comes first.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "locus/study/study.h"

namespace locus::study {

class CellQueue {
 public:
  CellQueue(const Study& study, bool longest_first) : study_(study), longest_first_(longest_first) {}

  void add(CellName name, bool only_tests);
  // A finished cell predicts the time of others. Cells of which nothing is known are expected to take
  // longest.
  void learn(const Cell& cell);
  bool empty() const { return left_.empty(); }
  // The queue must not be empty. Cells that are expected to take equally long come in the order of add().
  CellName take();

 private:
  struct Left {
    CellName name;
    bool only_tests;
  };
  double expected_seconds(const Left& left) const;

  const Study& study_;
  bool longest_first_;
  std::vector<Left> left_;
  std::map<std::string, double> step_seconds_;  // by the word of the scheme, on any task
  double most_seconds_ = 1;
};

}  // namespace locus::study
