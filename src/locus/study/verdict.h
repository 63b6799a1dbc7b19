// The answer of a study, computed from its numbers by the rules of summary.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "locus/study/summary.h"

namespace locus::study {

struct Verdict {
  // The line to choose for long texts: the one with the fastest step among those that work up to the longest
  // length and are close to the best value there. Empty if no line works up to that length.
  std::string pick;
  double trained_value = 0, longest_value = 0;  // of the pick, on the first task
  double step_ratio = 0;                        // of the pick; NaN without a control
  std::vector<std::string> on_all_tasks;        // lines that work up to the longest length on every task
  // Schemes that were learned but stop working before the longest length of the first task: by the last
  // length that works, the longest first.
  std::vector<std::pair<int64_t, std::vector<std::string>>> limited;
  std::vector<std::string> sentences;  // two or three
};
Verdict verdict(const Summary& summary);

// Lines of an encoder task that cannot be learned because the scheme depends on the distance alone.
std::vector<std::string> without_direction(const TaskSummary& task);

std::string size_note(const Study& study);  // how small the study is, one line
std::string rules();                        // what "works" and "close" mean

// "shaw", "shaw and t5", "shaw, t5 and fire".
std::string listed(const std::vector<std::string>& names);
std::string value_text(const Task& task, double value);           // "3.43" or "98 %"
std::string bits_text(const Task& text_task, double perplexity);  // "2.431 bits per byte"

}  // namespace locus::study
