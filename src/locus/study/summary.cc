#include "locus/study/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/json.h"
#include "locus/base/version.h"

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

Line line_of(const std::vector<const Cell*>& cells, const std::string& scheme, size_t row, size_t lengths) {
  Line line{scheme, cells.front()->rows[row].variant, {}};
  for (size_t i = 0; i < lengths; ++i) {
    std::vector<const Score*> scores;
    for (const Cell* cell : cells) scores.push_back(&cell->rows.at(row).scores.at(i));
    line.scores.push_back(mean_of(scores));
  }
  return line;
}

Cost cost_of(const std::vector<const Cell*>& cells, const std::string& scheme) {
  Cost cost{scheme, cells.front()->parameters, cells.front()->step_seconds, cells.front()->step_bytes};
  for (const Cell* cell : cells) cost.step_seconds = std::min(cost.step_seconds, cell->step_seconds);
  return cost;
}

}  // namespace

Summary summarise(const Study& study, const std::vector<Cell>& cells) {
  Summary summary{study.conditions.test_lengths(), study.conditions.length, study.seeds, {}, {}};
  for (const Task* task : study.task_list()) {
    TaskSummary& part = summary.tasks.emplace_back(TaskSummary{task, {}});
    for (const SchemeInfo* scheme : study.scheme_list()) {
      std::vector<const Cell*> found;
      for (const Cell& cell : cells) {
        if (cell.name.task == task->name && cell.name.scheme == scheme->name) found.push_back(&cell);
      }
      if (found.empty()) continue;
      for (size_t row = 0; row < found.front()->rows.size(); ++row) {
        part.lines.push_back(line_of(found, std::string(scheme->name), row, summary.lengths.size()));
      }
      if (task == study.task_list().front())
        summary.costs.push_back(cost_of(found, std::string(scheme->name)));
    }
  }
  return summary;
}

std::string results_json(const Study& study, const Summary& summary) {
  std::vector<std::string> tasks;
  for (const TaskSummary& task : summary.tasks) {
    std::vector<std::string> lines;
    for (const Line& line : task.lines) {
      std::vector<std::string> scores;
      for (size_t i = 0; i < line.scores.size(); ++i) {
        scores.push_back(json::object({{"length", json::number(summary.lengths[i])},
                                       {"mean", json::exact(line.scores[i].value)},
                                       {"spread", json::exact(line.scores[i].spread)}}));
      }
      lines.push_back(json::object({{"scheme", json::text(line.scheme)},
                                    {"variant", json::text(line.variant)},
                                    {"scores", json::list(scores)}}));
    }
    tasks.push_back(json::object(
        {{"task", json::text(task.task->name)},
         {"metric", json::text(task.task->metric == Metric::accuracy ? "accuracy" : "perplexity")},
         {"lines", json::list(lines)}}));
  }
  std::vector<std::string> costs, words;
  for (const Cost& cost : summary.costs) {
    costs.push_back(json::object({{"scheme", json::text(cost.scheme)},
                                  {"parameters", json::number(cost.parameters)},
                                  {"step_seconds", json::exact(cost.step_seconds)},
                                  {"step_bytes", json::number(cost.step_bytes)}}));
  }
  for (const std::string& sentence : findings(summary)) words.push_back(json::text(sentence));
  json::Members settings;
  const OptionValues values = field_values(study);
  for (const auto& [name, value] : values) settings.emplace_back(name, json::text(value));
  return json::lines({{"version", json::text(version())},
                      {"study", json::object(settings)},
                      {"findings", json::list(words)},
                      {"tasks", json::list(tasks)},
                      {"costs", json::list(costs)}});
}

std::string results_csv(const std::vector<Cell>& cells) {
  std::string text = "task,scheme,variant,seed,length,value\n";
  for (const Cell& cell : cells) {
    for (const Row& row : cell.rows) {
      for (const Score& score : row.scores) {
        text +=
            fmt::format("{},{},{},{},{},{}\n", cell.name.task, cell.name.scheme, row.variant, cell.name.seed,
                        score.length, std::isnan(score.value) ? "" : fmt::format("{}", score.value));
      }
    }
  }
  return text;
}

}  // namespace locus::study
