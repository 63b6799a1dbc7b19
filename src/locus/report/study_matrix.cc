#include "locus/report/study_matrix.h"

#include <algorithm>
#include <cmath>

#include "locus/report/study_figures.h"

namespace locus::report {
namespace {

using study::Line;
using study::Mean;
using study::Metric;
using study::Standing;
using study::Summary;
using study::TaskSummary;

std::string multiple(const Summary& summary, int64_t length) {
  return fmt::format("{:.3g}\u00d7", static_cast<double>(length) / static_cast<double>(summary.trained));
}

TableCell value_cell(const TaskSummary& task, const Mean& mean) {
  if (std::isnan(mean.value)) return {.text = "\u2013", .note = mean.why};
  return {.text = study::value_text(*task.task, mean.value)};
}

TableCell reach_cell(const Summary& summary, const Standing& place) {
  const std::string text = multiple(summary, summary.lengths[place.reach]);
  if (!place.learned) return {.text = "\u2013", .note = "not learned"};
  if (place.reach + 1 == summary.lengths.size())
    return {.text = "\u2713 " + text, .tone = TableCell::Tone::good};
  if (place.reach > summary.trained_column())
    return {.text = "\u25d0 " + text, .tone = TableCell::Tone::partial};
  return {.text = "\u2717 " + text, .tone = TableCell::Tone::bad};
}

// The cells of a line in the matrix: its value at the trained length, and if there are longer texts its value
// at the longest length, for a text also in bits per byte, and how far it works.
std::vector<TableCell> standing_cells(const Summary& summary, const TaskSummary& task, const Line& line) {
  const Standing place = study::standing(summary, task, line);
  const size_t column = summary.trained_column();
  std::vector<TableCell> cells = {value_cell(task, line.scores[column])};
  cells.back().strong = place.best;
  const bool longer = column + 1 < summary.lengths.size();
  if (longer) cells.push_back(value_cell(task, line.scores.back()));
  if (task.task->text) cells.push_back(bits_cell(task, line.scores.back()));
  if (longer) cells.push_back(reach_cell(summary, place));
  return cells;
}

std::vector<std::string> standing_columns(const Summary& summary, const TaskSummary& task) {
  std::vector<std::string> columns = {fmt::format("at {}", summary.trained)};
  const bool longer = summary.trained_column() + 1 < summary.lengths.size();
  if (longer) columns.push_back(fmt::format("at {}", summary.lengths.back()));
  if (task.task->text) columns.emplace_back("bits/byte");
  if (longer) columns.emplace_back("works to");
  return columns;
}

}  // namespace

TableCell bits_cell(const TaskSummary& task, const Mean& mean) {
  if (std::isnan(mean.value)) return {.text = "\u2013", .note = mean.why};
  return {.text = fmt::format("{:.3f}", study::bits_per_byte(*task.task, mean.value))};
}

void add_matrix(Page& page, const Summary& summary, const std::string& pick) {
  const bool longer = summary.trained_column() + 1 < summary.lengths.size();
  std::vector<std::string> columns = {"Scheme"};
  std::vector<ColumnGroup> groups;
  for (const TaskSummary& task : summary.tasks) {
    const std::vector<std::string> own = standing_columns(summary, task);
    groups.push_back(
        {fmt::format("{} ({})", task.task->title,
                     task.task->metric == Metric::perplexity ? "perplexity \u2193" : "accuracy \u2191"),
         own.size(), fmt::format("{}: {}", task.task->summary, task.task->example)});
    columns.insert(columns.end(), own.begin(), own.end());
  }
  const bool relative = !std::isnan(summary.step_ratio(study::kControl));
  groups.push_back({"Cost", 2});
  columns.insert(columns.end(), {"step time", "parameters"});
  std::vector<std::vector<TableCell>> rows;
  for (const Line* line : study::ranked(summary.tasks.front())) {
    const Family family = family_of(*line);
    std::vector<TableCell>& row = rows.emplace_back();
    row.push_back({.text = line->label(),
                   .note = std::string(title_of(family)),
                   .strong = line->label() == pick,
                   .shape = static_cast<int>(family)});
    for (const TaskSummary& task : summary.tasks) {
      const auto same = std::ranges::find(task.lines, line->label(), &Line::label);
      if (same == task.lines.end()) {
        row.insert(row.end(), standing_columns(summary, task).size(), TableCell{});
        continue;
      }
      const std::vector<TableCell> cells = standing_cells(summary, task, *same);
      row.insert(row.end(), cells.begin(), cells.end());
    }
    const auto cost = std::ranges::find(summary.costs, line->scheme, &study::Cost::scheme);
    row.push_back({.text = cost == summary.costs.end() ? ""
                           : relative ? fmt::format("{:.2f}\u00d7", summary.step_ratio(line->scheme))
                                      : fmt::format("{:.1f} ms", 1e3 * cost->step_seconds)});
    row.push_back({.text = cost == summary.costs.end() ? "" : fmt::format("{}", cost->parameters)});
  }
  page.table(columns, rows, groups);
  page.note(
      fmt::format("{}Bold: within {:.0f} {} of the best at the trained length.{} Step time: a training step, "
                  "relative to no scheme. Parameters: those of the scheme alone.",
                  longer ? fmt::format("Sorted by {} at {} tokens. Works to: \u2713 the longest tested "
                                       "length, \u25d0 part of the way, "
                                       "\u2717 the trained length only, \u2013 not learned. ",
                                       summary.tasks.front().task->title, summary.lengths.back())
                         : "",
                  100 * study::kTolerance, "% or points", longer ? "" : " \u2013: not defined."));
}

}  // namespace locus::report
