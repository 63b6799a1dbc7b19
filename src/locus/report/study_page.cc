#include "locus/report/study_page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/version.h"
#include "locus/report/page.h"
#include "locus/scheme/scheme.h"

namespace locus::report {
namespace {

using study::Line;
using study::Mean;
using study::Metric;
using study::Summary;
using study::TaskSummary;

std::string in_words(const study::Task& task, double value) {
  return task.metric == Metric::accuracy ? fmt::format("{:.1f} %", 100 * value)
                                         : fmt::format("{:.2f}", value);
}

std::string with_spread(const study::Task& task, const Mean& mean, int64_t seeds) {
  if (std::isnan(mean.value)) return mean.why == study::kNoNumber ? "no number" : "no row";
  if (seeds < 2) return in_words(task, mean.value);
  return task.metric == Metric::accuracy
             ? fmt::format("{:.1f} ± {:.1f} %", 100 * mean.value, 50 * mean.spread)
             : fmt::format("{:.2f} ± {:.2f}", mean.value, mean.spread / 2);
}

// Where all lines of a task lie, for their colours: 1 is the best value anywhere.
struct Best {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  bool logarithmic = false;

  explicit Best(const TaskSummary& task) : logarithmic(task.task->metric == Metric::perplexity) {
    for (const Line& line : task.lines) {
      for (const Mean& mean : line.scores) {
        if (std::isnan(mean.value)) continue;
        least = std::min(least, mean.value);
        most = std::max(most, mean.value);
      }
    }
  }
  double shade(double value) const {
    if (!logarithmic) return std::clamp(value, 0.0, 1.0);
    return most > least ? 1 - std::log(value / least) / std::log(most / least) : 1;
  }
};

Figure curves(const TaskSummary& task, const Summary& summary) {
  LineChart chart{
      .x_label = "tokens in the text",
      .y_label = task.task->metric == Metric::accuracy ? "right answers, %" : "perplexity (log scale)",
      .log_x = true,
      .log_y = task.task->metric == Metric::perplexity,
      .named_ends = true,
      .mark = std::pair(static_cast<double>(summary.trained), fmt::format("trained at {}", summary.trained))};
  for (const int64_t length : summary.lengths) chart.x_ticks.push_back(static_cast<double>(length));
  for (const Line& line : task.lines) {
    Series series{line.label(), {}, {}};
    for (size_t i = 0; i < line.scores.size(); ++i) {
      series.x.push_back(static_cast<double>(summary.lengths[i]));
      series.y.push_back(line.scores[i].value * (task.task->metric == Metric::accuracy ? 100 : 1));
    }
    chart.series.push_back(std::move(series));
  }
  if (task.task->metric == Metric::accuracy) chart.y_range = std::pair(0.0, 100.0);
  return {
      .name = std::string(task.task->name),
      .title = fmt::format("{} over length", task.task->name),
      .caption = fmt::format("Asked: {}. Of position: {}. Point at a line or its name for its values; {} is "
                             "better.",
                             task.task->summary, task.task->position,
                             task.task->metric == Metric::accuracy ? "higher" : "lower"),
      .charts = {std::move(chart)},
      .wide = true};
}

void add_table(Page& page, const TaskSummary& task, const Summary& summary) {
  std::vector<std::string> columns = {"scheme"};
  for (const int64_t length : summary.lengths) {
    columns.push_back(fmt::format("{}{}", length, length == summary.trained ? " (trained)" : ""));
  }
  const Best best(task);
  std::vector<std::vector<TableCell>> rows;
  for (const Line& line : task.lines) {
    std::vector<TableCell>& row = rows.emplace_back();
    row.push_back({line.label(), -1, ""});
    for (const Mean& mean : line.scores) {
      row.push_back({with_spread(*task.task, mean, summary.seeds),
                     std::isnan(mean.value) ? -1 : best.shade(mean.value), mean.why});
    }
  }
  page.table(columns, rows);
}

Page task_part(const TaskSummary& task, const Summary& summary) {
  Page part("");
  part.figures(std::vector{curves(task, summary)});
  part.words(summary.seeds == 1
                 ? "One seed: how much of this is chance cannot be seen. Brighter is better."
                 : fmt::format("Means over {} seeds, ± half of the distance between the best and the worst. "
                               "Brighter is better.",
                               summary.seeds));
  add_table(part, task, summary);
  return part;
}

void add_costs(Page& page, const Summary& summary) {
  const auto control = std::ranges::find(summary.costs, std::string("none"), &study::Cost::scheme);
  std::vector<std::vector<TableCell>> rows;
  for (const study::Cost& cost : summary.costs) {
    const double ratio = control == summary.costs.end() ? 0 : cost.step_seconds / control->step_seconds;
    rows.push_back({{cost.scheme, -1, ""},
                    {fmt::format("{}", cost.parameters), -1, ""},
                    {fmt::format("{:.1f} ms", 1e3 * cost.step_seconds), -1, ""},
                    {ratio > 0 ? fmt::format("{:.2f} x", ratio) : "", -1, ""},
                    {fmt::format("{:.1f} MB", static_cast<double>(cost.step_bytes) / 1e6), -1, ""}});
  }
  page.table(std::vector<std::string>{"scheme", "parameters of its own", "training step", "over none",
                                      "memory of a step"},
             rows);
}

Page card(const SchemeCard& card, const StudyReport& report) {
  const SchemeInfo& info = scheme_info(card.scheme);
  Page part("");
  part.lead(info.summary);
  part.formula(info.formula);
  std::vector<std::pair<std::string, std::string>> facts = {{"paper", std::string(info.paper)},
                                                            {"used by", std::string(info.models)},
                                                            {"cost", std::string(info.cost)}};
  const Blueprint model = blueprint(report.study.conditions, *report.summary.tasks.front().task, card.scheme);
  for (const auto& [name, value] : model.scheme_options) {
    facts.emplace_back(name, value + ", for this study");
  }
  for (const TaskSummary& task : report.summary.tasks) {
    for (const Line& line : task.lines) {
      if (line.scheme != card.scheme) continue;
      std::vector<std::string> values;
      for (size_t i = 0; i < line.scores.size(); ++i) {
        values.push_back(fmt::format("{} at {}",
                                     with_spread(*task.task, line.scores[i], report.summary.seeds),
                                     report.summary.lengths[i]));
      }
      facts.emplace_back(
          line.variant.empty() ? task.task->name : fmt::format("{}, {}", task.task->name, line.variant),
          fmt::format("{}", fmt::join(values, ", ")));
    }
  }
  part.facts(facts);
  if (!card.twice.empty()) {
    part.heading("One word, two places");
    part.list(card.twice);
  }
  part.figures(card.figures);
  return part;
}

// Enough to run it again, also for who has the page alone.
void add_settings(Page& page, const StudyReport& report) {
  const std::string settings = study_toml(report.study);
  const bool usual = settings == study_toml(study::Study{});
  page.heading("What was run");
  page.facts(std::vector<std::pair<std::string, std::string>>{
      {"again", usual ? "locus compare" : "locus compare --study study.toml"},
      {"version", std::string(version())},
      {"machine", report.machine}});
  page.words(usual ? "These are the defaults:" : "study.toml, a copy of which lies beside this page:");
  page.formula(settings);
}

}  // namespace

std::string study_page(const StudyReport& report) {
  const Summary& summary = report.summary;
  Page page("Position schemes, trained short and tested long");
  page.lead(fmt::format(
      "The same small model, trained at {} tokens under each scheme on the same texts in the same order, "
      "then tested on up to {}.",
      summary.trained, summary.lengths.back()));
  page.list(study::findings(summary));
  page.words(study::rules());
  std::vector<std::pair<std::string, Page>> parts;
  for (const TaskSummary& task : summary.tasks) {
    if (!task.lines.empty()) parts.emplace_back(std::string(task.task->name), task_part(task, summary));
  }
  page.choice("task", parts);
  page.heading("What a scheme costs");
  add_costs(page, summary);
  page.heading("Scheme by scheme");
  for (const SchemeCard& one : report.cards) page.folded(one.scheme, card(one, report));
  add_settings(page, report);
  return page.html();
}

}  // namespace locus::report
