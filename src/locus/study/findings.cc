// The answer in words. Nothing is said that the numbers do not say: a scheme solves a task, or holds past the
// trained length, by the rules written here, and its spread over seeds counts against it.
#include <algorithm>
#include <cmath>

#include "locus/study/summary.h"

namespace locus::study {
namespace {

constexpr double kSolved = 0.95;  // accuracy from which a task counts as solved
constexpr double kLoss = 0.05;    // accuracy that may be lost, and part of perplexity that may be added
constexpr double kClear = 1.05;   // perplexities further apart than this are told apart

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "no scheme";
  if (names.size() == 1) return names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

size_t trained_column(const Summary& summary) {
  const auto found = std::ranges::find(summary.lengths, summary.trained);
  return static_cast<size_t>(found == summary.lengths.end() ? 0 : found - summary.lengths.begin());
}

std::string percent(double value) { return fmt::format("{:.0f} %", 100 * value); }

std::string solved_sentence(const TaskSummary& task, size_t column, int64_t length) {
  std::vector<std::string> solve, fail;
  for (const Line& line : task.lines) {
    if (!line.variant.empty()) continue;
    const Mean& mean = line.scores[column];
    (mean.value - mean.spread / 2 >= kSolved ? solve : fail)
        .push_back(mean.value - mean.spread / 2 >= kSolved
                       ? line.label()
                       : fmt::format("{} ({})", line.label(), percent(mean.value)));
  }
  std::string text = fmt::format("{}: at the trained length of {}, {} solve it (95 % right or more)",
                                 task.task->name, length, listed(solve));
  return fail.empty() ? text + "." : text + fmt::format("; {} do not.", listed(fail));
}

std::string best_sentence(const TaskSummary& task, size_t column, int64_t length) {
  const Line* best = nullptr;
  for (const Line& line : task.lines) {
    if (line.variant.empty() && (!best || line.scores[column].value < best->scores[column].value))
      best = &line;
  }
  std::vector<std::string> close;
  for (const Line& line : task.lines) {
    if (&line != best && line.variant.empty() &&
        line.scores[column].value < kClear * best->scores[column].value) {
      close.push_back(line.label());
    }
  }
  std::string text = fmt::format("{}: at the trained length of {}, {} has the lowest perplexity, {:.2f}",
                                 task.task->name, length, best->label(), best->scores[column].value);
  return close.empty() ? text + "." : text + fmt::format("; {} within 5 % of it.", listed(close));
}

std::string holding_sentence(const TaskSummary& task, const Summary& summary, size_t column) {
  const size_t last = summary.lengths.size() - 1;
  std::vector<std::string> hold, lose, none;
  for (const Line& line : task.lines) {
    const Mean &before = line.scores[column], &after = line.scores[last];
    if (std::isnan(after.value)) {
      none.push_back(line.label());
    } else if (task.task->metric == Metric::accuracy && before.value < kSolved) {
      continue;  // what was not learned cannot hold
    } else if (holds(*task.task, before, after)) {
      hold.push_back(line.label());
    } else {
      lose.push_back(task.task->metric == Metric::accuracy
                         ? fmt::format("{} ({})", line.label(), percent(after.value))
                         : fmt::format("{} ({:.2f} to {:.2f})", line.label(), before.value, after.value));
    }
  }
  std::string text = fmt::format(
      "At {} tokens, {} times that, {} hold", summary.lengths[last],
      static_cast<double>(summary.lengths[last]) / static_cast<double>(summary.trained), listed(hold));
  if (!lose.empty()) text += fmt::format("; {} do not", listed(lose));
  if (!none.empty())
    text += fmt::format("; {} cannot be asked: no row of the table was learned for it", listed(none));
  return text + ".";
}

std::string cost_sentence(const Summary& summary) {
  const auto control = std::ranges::find(summary.costs, std::string("none"), &Cost::scheme);
  if (control == summary.costs.end()) return "";
  std::vector<std::string> dear;
  for (const Cost& cost : summary.costs) {
    const double ratio = cost.step_seconds / control->step_seconds;
    if (ratio >= 1.25) dear.push_back(fmt::format("{} {:.1f} times", cost.scheme, ratio));
  }
  if (dear.empty()) return "Cost: no scheme takes a quarter more time a step than none at all.";
  return fmt::format(
      "Cost: a training step takes, against no scheme at all, {}; the others less than a quarter more.",
      listed(dear));
}

}  // namespace

bool holds(const Task& task, const Mean& trained, const Mean& there) {
  if (std::isnan(there.value)) return false;
  return task.metric == Metric::accuracy ? there.value >= trained.value - kLoss
                                         : there.value <= trained.value * (1 + kLoss);
}

std::vector<std::string> findings(const Summary& summary) {
  std::vector<std::string> sentences;
  const size_t column = trained_column(summary);
  for (const TaskSummary& task : summary.tasks) {
    if (task.lines.empty()) continue;
    std::string text = task.task->metric == Metric::accuracy
                           ? solved_sentence(task, column, summary.lengths[column])
                           : best_sentence(task, column, summary.lengths[column]);
    if (summary.lengths.back() > summary.trained)
      text.append(" ").append(holding_sentence(task, summary, column));
    sentences.push_back(std::move(text));
  }
  if (const std::string cost = cost_sentence(summary); !cost.empty()) sentences.push_back(cost);
  return sentences;
}

}  // namespace locus::study
