#include "locus/study/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "locus/study/direction.h"

namespace locus::study {
namespace {

std::string metric_name(const Task& task) {
  return task.metric == Metric::accuracy ? "accuracy" : "perplexity";
}

std::string multiple(const Summary& summary, int64_t length) {
  return fmt::format("{:.3g} times", static_cast<double>(length) / static_cast<double>(summary.trained));
}

bool works(const Summary& summary, const TaskSummary& task, const Line& line) {
  const Standing place = standing(summary, task, line);
  return place.learned && place.reach + 1 == summary.lengths.size();
}

// Timings repeat to about 5 %: schemes that differ by less cost the same.
int64_t cost_rank(const Summary& summary, const Line& line) {
  constexpr double kSteps = 20;
  const double ratio = summary.step_ratio(line.scheme);
  return std::isnan(ratio) ? 0 : std::llround(ratio * kSteps);
}

// The rows of the ranking that work, by cost among those close to the first.
const Line* picked(const Summary& summary, const TaskSummary& task) {
  const Line* pick = nullptr;
  double top = 0;
  for (const Line* line : ranked(task)) {
    if (line->scheme == kControl || !works(summary, task, *line)) continue;
    const double value = line->scores.back().value;
    if (pick == nullptr) {
      pick = line;
      top = value;
    } else if (close_to(*task.task, value, top) && cost_rank(summary, *line) < cost_rank(summary, *pick)) {
      pick = line;
    }
  }
  return pick;
}

std::string cost_text(const Summary& summary, const Line& line) {
  const auto cost = std::ranges::find(summary.costs, line.scheme, &Cost::scheme);
  if (cost == summary.costs.end()) return "";
  const double ratio = summary.step_ratio(line.scheme);
  const std::string parameters = cost->parameters == 0 ? "no parameters"
                                                       : fmt::format("{} parameter{}", cost->parameters,
                                                                     cost->parameters == 1 ? "" : "s");
  const std::string time = std::isnan(ratio) ? fmt::format("{:.1f} ms", 1e3 * cost->step_seconds)
                                             : fmt::format("{:.2f}x as long as with no scheme", ratio);
  return fmt::format("{} adds {}; a training step takes {}.", line.scheme, parameters, time);
}

std::string pick_sentence(const Summary& summary, const TaskSummary& task, const Line& line) {
  const size_t column = summary.trained_column();
  const std::string metric = metric_name(*task.task);
  const auto value = [&](const Mean& mean) {
    const std::string text = value_text(*task.task, mean.value);
    return task.task->text ? fmt::format("{} ({})", text, bits_text(*task.task, mean.value)) : text;
  };
  const std::string trained = value_text(*task.task, line.scores[column].value);
  if (column + 1 == summary.lengths.size()) {
    return fmt::format("At the trained length of {} tokens take {}: {} {}. {}", summary.trained, line.label(),
                       metric, value(line.scores[column]), cost_text(summary, line));
  }
  return fmt::format(
      "For text longer than you trained on, take {}: {} {} at {} tokens, {} the trained length ({} at {}). "
      "{}",
      line.label(), metric, value(line.scores.back()), summary.lengths.back(),
      multiple(summary, summary.lengths.back()), trained, summary.trained, cost_text(summary, line));
}

std::string no_pick_sentence(const Summary& summary, const TaskSummary& task) {
  const Line* farthest = nullptr;
  size_t reach = 0;
  for (const Line* line : ranked(task)) {
    const Standing place = standing(summary, task, *line);
    if (!place.learned || (farthest != nullptr && place.reach <= reach)) continue;
    farthest = line;
    reach = place.reach;
  }
  if (farthest == nullptr) return fmt::format("No scheme learned {} in this study.", task.task->title);
  return fmt::format("No scheme keeps its {} up to {} tokens. {} goes farthest, to {} tokens.",
                     metric_name(*task.task), summary.lengths.back(), farthest->label(),
                     summary.lengths[reach]);
}

std::string all_tasks_sentence(const Summary& summary, const Verdict& answer) {
  if (summary.tasks.size() < 2) return "";
  const std::string all =
      summary.tasks.size() == 2 ? "both tasks" : fmt::format("all {} tasks", summary.tasks.size());
  const std::string where = fmt::format("at {} tokens on {}", summary.lengths.back(), all);
  const std::vector<std::string>& names = answer.on_all_tasks;
  if (names.empty()) return fmt::format("No scheme works {}.", where);
  std::vector<std::string> costs;
  for (const std::string& name : names) {
    const double ratio = summary.step_ratio(name.substr(0, name.find(" + ")));
    costs.push_back(std::isnan(ratio) ? name : fmt::format("{} ({:.2f}x)", name, ratio));
  }
  return fmt::format("{}{} work{} {}.", names.size() < 4 ? "Only " : "", listed(costs),
                     names.size() == 1 ? "s" : "", where);
}

std::string limited_sentence(const Summary& summary, const Verdict& answer) {
  std::vector<std::string> groups;
  for (const auto& [length, names] : answer.limited) {
    groups.push_back(length == summary.trained ? fmt::format("Only the trained length: {}.", listed(names))
                                               : fmt::format("Up to {} the trained length: {}.",
                                                             multiple(summary, length), listed(names)));
  }
  return fmt::format("{}", fmt::join(groups, " "));
}

void add_limited(Verdict& answer, const Summary& summary, const TaskSummary& task) {
  std::map<int64_t, std::vector<std::string>, std::greater<>> by_length;
  for (const Line& line : task.lines) {
    const Standing place = standing(summary, task, line);
    if (!place.learned || place.reach + 1 == summary.lengths.size()) continue;
    by_length[summary.lengths[place.reach]].push_back(line.label());
  }
  answer.limited.assign(by_length.begin(), by_length.end());
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "no scheme";
  if (names.size() == 1) return names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string value_text(const Task& task, double value) {
  return task.metric == Metric::accuracy ? fmt::format("{:.0f} %", 100 * value)
         : value < 100                   ? fmt::format("{:.2f}", value)
                                         : fmt::format("{:.3g}", value);
}

std::string bits_text(const Task& text_task, double perplexity) {
  return fmt::format("{:.3f} bits per byte", bits_per_byte(text_task, perplexity));
}

Verdict verdict(const Summary& summary) {
  Verdict answer;
  if (summary.tasks.empty() || summary.tasks.front().lines.empty()) return answer;
  const TaskSummary& first = summary.tasks.front();
  for (const Line& line : first.lines) {
    const bool everywhere = std::ranges::all_of(summary.tasks, [&](const TaskSummary& task) {
      const auto same = std::ranges::find(task.lines, line.label(), &Line::label);
      return same != task.lines.end() && works(summary, task, *same);
    });
    if (everywhere) answer.on_all_tasks.push_back(line.label());
  }
  add_limited(answer, summary, first);
  if (const Line* pick = picked(summary, first)) {
    answer.pick = pick->label();
    answer.trained_value = pick->scores[summary.trained_column()].value;
    answer.longest_value = pick->scores.back().value;
    answer.step_ratio = summary.step_ratio(pick->scheme);
    answer.sentences.push_back(pick_sentence(summary, first, *pick));
  } else {
    answer.sentences.push_back(no_pick_sentence(summary, first));
  }
  for (const std::string& sentence :
       {all_tasks_sentence(summary, answer), limited_sentence(summary, answer)}) {
    if (!sentence.empty()) answer.sentences.push_back(sentence);
  }
  return answer;
}

std::vector<std::string> without_direction(const TaskSummary& task) {
  std::vector<std::string> names;
  if (!task.task->needs_order || task.task->kind != ModelKind::encoder) return names;
  for (const Line& line : task.lines) {
    if (line.variant.empty() && line.scheme != kControl && !has_direction(line.scheme)) {
      names.push_back(line.scheme);
    }
  }
  return names;
}

std::string size_note(const Study& study) {
  const Conditions& c = study.conditions;
  return fmt::format("{} layer{}, width {}, {} steps, {}, {} seed{}: trust the order, not the values.",
                     c.layers, c.layers == 1 ? "" : "s", c.width, c.steps,
                     study.text.empty() ? "synthetic text" : "one text file", study.seeds,
                     study.seeds == 1 ? "" : "s");
}

std::string rules() {
  return fmt::format(
      "A scheme works up to a length if no test up to there is worse than at its trained length by more than "
      "{0:.0f} points of accuracy or {0:.0f} % of perplexity. It must also have learned the task: at least "
      "{1:.0f} % "
      "accuracy after subtracting half the spread over seeds, or a perplexity more than {0:.0f} % below that "
      "of no "
      "scheme. Two values are close if they differ by less than the same {0:.0f} points or percent. The "
      "verdict picks "
      "the fastest of the schemes that work up to the longest length and are close to the best value there.",
      100 * kTolerance, 100 * kSolved);
}

}  // namespace locus::study
