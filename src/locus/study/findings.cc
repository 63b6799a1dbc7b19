// The answer in words. Nothing is said that the numbers do not say: a scheme solves a task, or holds past the
// trained length, by the rules written here. A task is solved where half the spread over seeds takes nothing
// from it; all else is said of means.
#include <algorithm>
#include <cmath>

#include "locus/study/direction.h"
#include "locus/study/summary.h"

namespace locus::study {
namespace {

constexpr double kSolved = 0.95;  // accuracy from which a task counts as solved
constexpr double kLoss = 0.05;    // accuracy that may be lost, and part of perplexity that may be added
constexpr double kDear = 1.25;    // times the time of no scheme at all
constexpr const char* kControl = "none";

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "no scheme";
  if (names.size() == 1) return names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// "rotary holds", "rotary and t5 hold", "no scheme holds".
std::string does(const std::vector<std::string>& names, std::string_view verb) {
  return fmt::format("{} {}{}", listed(names), verb, names.size() > 1 ? "" : "s");
}

size_t trained_column(const Summary& summary) {
  const auto found = std::ranges::find(summary.lengths, summary.trained);
  return static_cast<size_t>(found == summary.lengths.end() ? 0 : found - summary.lengths.begin());
}

std::string in_words(const Task& task, double value) {
  return task.metric == Metric::accuracy ? fmt::format("{:.0f} %", 100 * value)
                                         : fmt::format("{:.2f}", value);
}

bool solves(const Mean& mean) { return mean.value - mean.spread / 2 >= kSolved; }

double lowest(const TaskSummary& task, size_t column) {
  double least = std::numeric_limits<double>::infinity();
  for (const Line& line : task.lines) {
    if (line.variant.empty()) least = std::min(least, line.scores[column].value);
  }
  return least;
}

bool good(const TaskSummary& task, const Line& line, size_t column) {
  return task.task->metric == Metric::accuracy
             ? solves(line.scores[column])
             : line.scores[column].value <= (1 + kLoss) * lowest(task, column);
}

// The last column up to which a line does what it did at the trained length.
size_t holds_until(const TaskSummary& task, const Line& line, size_t column) {
  size_t last = column;
  while (last + 1 < line.scores.size() && holds(*task.task, line.scores[column], line.scores[last + 1]))
    ++last;
  return last;
}

std::string solved_sentence(const TaskSummary& task, size_t column, int64_t length) {
  const bool needs_direction = task.task->needs_order && task.task->kind == ModelKind::encoder;
  std::vector<std::string> solve, fail, blind;
  for (const Line& line : task.lines) {
    if (!line.variant.empty()) continue;
    const Mean& mean = line.scores[column];
    if (solves(mean)) {
      solve.push_back(line.label());
      continue;
    }
    fail.push_back(fmt::format("{} ({:.1f} %{})", line.label(), 100 * mean.value,
                               mean.spread > 0 ? fmt::format(" \u00b1 {:.1f}", 50 * mean.spread) : ""));
    if (needs_direction && line.scheme != kControl && !tells_direction(line.scheme))
      blind.push_back(line.label());
  }
  std::string text = fmt::format("{}: at the trained length of {} tokens {} it (95 % right or more)",
                                 task.task->name, length, does(solve, "solve"));
  text += fail.empty()    ? "."
          : solve.empty() ? fmt::format(": {}.", listed(fail))
                          : fmt::format("; {} do{} not.", listed(fail), fail.size() > 1 ? "" : "es");
  if (!blind.empty()) {
    text += fmt::format(
        " By construction {} how far apart two tokens are and not which comes first: an encoder, which looks "
        "both ways, cannot learn that from {}; a decoder looks one way.",
        does(blind, "know"), blind.size() > 1 ? "them" : "it");
  }
  return text;
}

std::string best_sentence(const TaskSummary& task, size_t column, int64_t length) {
  const double least = lowest(task, column);
  std::vector<std::string> best, worse;
  for (const Line& line : task.lines) {
    if (!line.variant.empty()) continue;
    const double value = line.scores[column].value;
    (value <= (1 + kLoss) * least ? best : worse)
        .push_back(fmt::format("{} ({})", line.label(), in_words(*task.task, value)));
  }
  std::string text = fmt::format("{}: at the trained length of {} tokens {} the lowest perplexity{}",
                                 task.task->name, length, listed(best) + (best.size() > 1 ? " have" : " has"),
                                 best.size() > 1 ? ", within 5 %" : "");
  return worse.empty()
             ? text + "."
             : text + fmt::format("; {} more.", listed(worse) + (worse.size() > 1 ? " have" : " has"));
}

// Who holds how far, the farthest first; what was not learned cannot hold.
std::string holding_sentence(const TaskSummary& task, const Summary& summary, size_t column) {
  const size_t end = summary.lengths.size() - 1;
  std::vector<std::vector<std::string>> until(end + 1);
  std::vector<std::string> ended, broken;
  for (const Line& line : task.lines) {
    const Mean& next = line.scores[column + 1];
    if (std::isnan(next.value)) {
      (next.why == kNoNumber ? broken : ended).push_back(line.label());
    } else if (task.task->metric == Metric::perplexity || solves(line.scores[column])) {
      const size_t last = holds_until(task, line, column);
      until[last].push_back(last == end ? line.label()
                                        : fmt::format("{} ({} at {})", line.label(),
                                                      in_words(*task.task, line.scores[end].value),
                                                      summary.lengths[end]));
    }
  }
  std::string text =
      fmt::format("On longer texts {} up to {} tokens", does(until[end], "hold"), summary.lengths[end]);
  for (size_t i = end; i-- > column;) {
    if (until[i].empty()) continue;
    text += i > column ? fmt::format("; {} up to {}", does(until[i], "hold"), summary.lengths[i])
                       : fmt::format("; {} not hold at {}",
                                     listed(until[i]) + (until[i].size() > 1 ? " do" : " does"),
                                     summary.lengths[i + 1]);
  }
  if (!ended.empty()) {
    text += fmt::format("; {} cannot be asked past {}, the end of the table", listed(ended), summary.trained);
  }
  if (!broken.empty()) text += fmt::format("; {} gave no number past {}", listed(broken), summary.trained);
  return text + ".";
}

// Who is good on every task, and stays so.
std::string headline(const Summary& summary, size_t column) {
  std::vector<std::string> names;
  for (const Line& line : summary.tasks.front().lines) {
    const bool everywhere = std::ranges::all_of(summary.tasks, [&](const TaskSummary& task) {
      const auto same = std::ranges::find(task.lines, line.label(), &Line::label);
      return same != task.lines.end() && good(task, *same, column) &&
             holds_until(task, *same, column) + 1 == summary.lengths.size();
    });
    if (everywhere) names.push_back(line.label());
  }
  return fmt::format("Trained at {} tokens, {} good on every task and stay{} so up to {}.", summary.trained,
                     listed(names) + (names.size() > 1 ? " are" : " is"), names.size() > 1 ? "" : "s",
                     summary.lengths.back());
}

std::string cost_sentence(const Summary& summary) {
  const auto control = std::ranges::find(summary.costs, std::string(kControl), &Cost::scheme);
  if (control == summary.costs.end()) return "";
  std::vector<std::string> dear;
  for (const Cost& cost : summary.costs) {
    const double ratio = cost.step_seconds / control->step_seconds;
    if (ratio >= kDear) dear.push_back(fmt::format("{} {:.1f} times", cost.scheme, ratio));
  }
  if (dear.empty()) return "Cost: no scheme takes a quarter more time a step than none at all.";
  const bool others = dear.size() + 1 < summary.costs.size();
  return fmt::format("Cost: a training step took here, against no scheme at all, {}{}.", listed(dear),
                     others ? "; the others less than a quarter more" : "");
}

}  // namespace

bool holds(const Task& task, const Mean& trained, const Mean& there) {
  if (std::isnan(there.value)) return false;
  return task.metric == Metric::accuracy ? there.value >= trained.value - kLoss
                                         : there.value <= trained.value * (1 + kLoss);
}

std::string rules() {
  return fmt::format(
      "A scheme solves a task at {:.0f} % right or more, with half the spread over seeds taken off. It holds "
      "up to a length if until there it loses at most {:.0f} points of accuracy, or gains at most {:.0f} % "
      "perplexity, against itself at the trained length; of perplexity, also a scheme that learned nothing "
      "may hold.",
      100 * kSolved, 100 * kLoss, 100 * kLoss);
}

std::vector<std::string> findings(const Summary& summary) {
  std::vector<std::string> sentences;
  const size_t column = trained_column(summary);
  const bool longer = column + 1 < summary.lengths.size() && summary.lengths[column] == summary.trained;
  if (longer && summary.tasks.size() > 1) sentences.push_back(headline(summary, column));
  for (const TaskSummary& task : summary.tasks) {
    if (task.lines.empty()) continue;
    std::string text = task.task->metric == Metric::accuracy
                           ? solved_sentence(task, column, summary.lengths[column])
                           : best_sentence(task, column, summary.lengths[column]);
    if (longer) text.append(" ").append(holding_sentence(task, summary, column));
    sentences.push_back(std::move(text));
  }
  if (const std::string cost = cost_sentence(summary); !cost.empty()) sentences.push_back(cost);
  if (summary.seeds == 1) sentences.emplace_back("All this is of one seed: others may give other numbers.");
  return sentences;
}

}  // namespace locus::study
