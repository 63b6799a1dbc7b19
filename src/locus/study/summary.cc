#include "locus/study/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/json.h"
#include "locus/base/version.h"
#include "locus/study/verdict.h"

namespace locus::study {
namespace {

Mean mean_of(const std::vector<const Score*>& scores) {
  Mean mean;
  double least = std::numeric_limits<double>::infinity(), most = -least, total = 0;
  for (const Score* score : scores) {
    if (std::isnan(score->value)) return {score->value, 0, score->why};
    least = std::min(least, score->value);
    most = std::max(most, score->value);
    total += score->value;
  }
  return {total / static_cast<double>(scores.size()), most - least, ""};
}

std::vector<PositionLoss> mean_by_position(const std::vector<const Cell*>& cells, size_t row) {
  std::vector<PositionLoss> mean = cells.front()->rows.at(row).by_position;
  for (PositionLoss& bin : mean) bin.loss = 0;
  for (const Cell* cell : cells) {
    const std::vector<PositionLoss>& bins = cell->rows.at(row).by_position;
    if (!std::ranges::equal(bins, mean, {}, &PositionLoss::end, &PositionLoss::end)) return {};
    for (size_t i = 0; i < mean.size(); ++i) mean[i].loss += bins[i].loss / static_cast<double>(cells.size());
  }
  return mean;
}

Line line_of(const std::vector<const Cell*>& cells, const std::string& scheme, size_t row, size_t lengths) {
  Line line{scheme, cells.front()->rows[row].variant, {}, {}};
  for (size_t i = 0; i < lengths; ++i) {
    std::vector<const Score*> scores;
    for (const Cell* cell : cells) scores.push_back(&cell->rows.at(row).scores.at(i));
    line.scores.push_back(mean_of(scores));
  }
  line.by_position = mean_by_position(cells, row);
  return line;
}

Cost cost_of(const std::vector<const Cell*>& cells, const std::string& scheme) {
  Cost cost{scheme, cells.front()->parameters, cells.front()->step_seconds, cells.front()->step_bytes};
  for (const Cell* cell : cells) cost.step_seconds = std::min(cost.step_seconds, cell->step_seconds);
  return cost;
}

}  // namespace

Summary summarize(const Study& study, const std::vector<Cell>& cells) {
  Summary summary{study.conditions.test_lengths(), study.conditions.length, study.seeds, {}, {}};
  for (const Task* task : study.task_list()) {
    TaskSummary& part = summary.tasks.emplace_back(TaskSummary{task, {}});
    for (const SchemeChoice& choice : study.scheme_list()) {
      const std::string scheme = choice.word();
      std::vector<const Cell*> found;
      for (const Cell& cell : cells) {
        if (cell.name.task == task->name && cell.name.scheme == scheme) found.push_back(&cell);
      }
      if (found.empty()) continue;
      for (size_t row = 0; row < found.front()->rows.size(); ++row) {
        part.lines.push_back(line_of(found, scheme, row, summary.lengths.size()));
      }
      if (task == study.task_list().front()) summary.costs.push_back(cost_of(found, scheme));
    }
  }
  return summary;
}

size_t Summary::trained_column() const {
  const auto found = std::ranges::find(lengths, trained);
  return static_cast<size_t>(found == lengths.end() ? 0 : found - lengths.begin());
}

double Summary::step_ratio(std::string_view scheme) const {
  const auto control = std::ranges::find(costs, kControl, &Cost::scheme);
  const auto found = std::ranges::find(costs, scheme, &Cost::scheme);
  if (control == costs.end() || found == costs.end()) return std::numeric_limits<double>::quiet_NaN();
  return found->step_seconds / control->step_seconds;
}

bool close_to(const Task& task, double value, double reference) {
  return task.metric == Metric::accuracy ? value >= reference - kTolerance
                                         : value <= reference * (1 + kTolerance);
}

bool better(const Task& task, double value, double reference) {
  if (std::isnan(value)) return false;
  if (std::isnan(reference)) return true;
  return task.metric == Metric::accuracy ? value > reference : value < reference;
}

Standing standing(const Summary& summary, const TaskSummary& task, const Line& line) {
  const size_t column = summary.trained_column();
  const Mean& trained = line.scores[column];
  double top = std::numeric_limits<double>::quiet_NaN(), control = top;
  for (const Line& other : task.lines) {
    if (better(*task.task, other.scores[column].value, top)) top = other.scores[column].value;
    if (other.scheme == kControl) control = other.scores[column].value;
  }
  Standing result{.best = close_to(*task.task, trained.value, top), .reach = column};
  result.learned = task.task->metric == Metric::accuracy
                       ? trained.value - trained.spread / 2 >= kSolved
                       : std::isfinite(trained.value) &&
                             (std::isnan(control) || trained.value * (1 + kTolerance) < control);
  while (result.reach + 1 < line.scores.size() &&
         close_to(*task.task, line.scores[result.reach + 1].value, trained.value)) {
    ++result.reach;
  }
  return result;
}

std::vector<const Line*> ranked(const TaskSummary& task) {
  std::vector<const Line*> lines;
  for (const Line& line : task.lines) lines.push_back(&line);
  std::ranges::stable_sort(lines, [&](const Line* a, const Line* b) {
    const double last_a = a->scores.back().value, last_b = b->scores.back().value;
    if (std::isnan(last_a) && std::isnan(last_b)) {
      return better(*task.task, a->scores.front().value, b->scores.front().value);
    }
    return better(*task.task, last_a, last_b);
  });
  return lines;
}

std::string results_json(const Study& study, const Summary& summary) {
  std::vector<std::string> tasks;
  for (const TaskSummary& task : summary.tasks) {
    std::vector<std::string> lines;
    for (const Line& line : task.lines) {
      std::vector<std::string> scores;
      for (size_t i = 0; i < line.scores.size(); ++i) {
        json::Members members = {{"length", json::number(summary.lengths[i])},
                                 {"mean", json::exact(line.scores[i].value)},
                                 {"spread", json::exact(line.scores[i].spread)}};
        if (task.task->text) {
          members.emplace_back("bits_per_byte", json::exact(bits_per_byte(*task.task, line.scores[i].value)));
        }
        scores.push_back(json::object(members));
      }
      std::vector<std::string> bins;
      for (const PositionLoss& bin : line.by_position) bins.push_back(position_json(bin));
      const Standing place = standing(summary, task, line);
      lines.push_back(json::object({{"scheme", json::text(line.scheme)},
                                    {"variant", json::text(line.variant)},
                                    {"learned", json::boolean(place.learned)},
                                    {"works_to", json::number(summary.lengths[place.reach])},
                                    {"scores", json::list(scores)},
                                    {"by_position", json::list(bins)}}));
    }
    json::Members members = {
        {"task", json::text(task.task->name)},
        {"title", json::text(task.task->title)},
        {"metric", json::text(task.task->metric == Metric::accuracy ? "accuracy" : "perplexity")}};
    if (const std::optional<TextFacts>& text = task.task->text) {
      members.insert(members.end(), {{"vocabulary", json::number(int64_t{task.task->vocabulary})},
                                     {"bytes_per_token", json::exact(text->bytes_per_token)},
                                     {"exact_tokens", json::boolean(text->exact)}});
    }
    members.emplace_back("lines", json::list(lines));
    tasks.push_back(json::object(members));
  }
  std::vector<std::string> costs;
  for (const Cost& cost : summary.costs) {
    costs.push_back(json::object({{"scheme", json::text(cost.scheme)},
                                  {"parameters", json::number(cost.parameters)},
                                  {"step_seconds", json::exact(cost.step_seconds)},
                                  {"step_bytes", json::number(cost.step_bytes)}}));
  }
  const Verdict answer = verdict(summary);
  json::Members settings;
  const Settings all = settings_of(study);
  for (const Setting& setting : all.all()) settings.emplace_back(setting.key, json::text(setting.value));
  return json::lines({{"version", json::text(version())},
                      {"study", json::object(settings)},
                      {"verdict", json::object({{"pick", json::text(answer.pick)},
                                                {"works_on_all_tasks", json::texts(answer.on_all_tasks)},
                                                {"sentences", json::texts(answer.sentences)}})},
                      {"tasks", json::list(tasks)},
                      {"costs", json::list(costs)}});
}

std::string results_csv(const Study& study, const std::vector<Cell>& cells) {
  std::string text = "task,scheme,variant,seed,length,value,bits_per_byte\n";
  for (const Cell& cell : cells) {
    const Task& task = study.task_named(cell.name.task);
    for (const Row& row : cell.rows) {
      for (const Score& score : row.scores) {
        const bool has_value = !std::isnan(score.value);
        text +=
            fmt::format("{},{},{},{},{},{},{}\n", cell.name.task, cell.name.scheme, row.variant,
                        cell.name.seed, score.length, has_value ? fmt::format("{}", score.value) : "",
                        has_value && task.text ? fmt::format("{}", bits_per_byte(task, score.value)) : "");
      }
    }
  }
  return text;
}

}  // namespace locus::study
