#include "locus/report/study_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/report/arrange.h"

namespace locus::report {
namespace {

using study::Line;
using study::Metric;
using study::Summary;
using study::TaskSummary;

bool has_perplexity(const TaskSummary& task) { return task.task->metric == Metric::perplexity; }
constexpr double kMostPerplexity = 1e100;  // larger ones leave every chart, as infinite ones do
double shown(const TaskSummary& task, double value) {
  if (!has_perplexity(task)) return 100 * value;
  return value > kMostPerplexity ? std::numeric_limits<double>::infinity() : value;
}

std::string value_label(const TaskSummary& task) {
  return has_perplexity(task) ? "perplexity" : "accuracy, %";
}

Series length_series(const TaskSummary& task, const Summary& summary, const Line& line) {
  Series series{line.label(), {}, {}};
  for (size_t i = 0; i < line.scores.size(); ++i) {
    series.x.push_back(static_cast<double>(summary.lengths[i]));
    series.y.push_back(shown(task, line.scores[i].value));
  }
  series.dashed = !line.variant.empty();
  return series;
}

Series position_series(const Line& line) {
  Series series{line.label(), {}, {}};
  for (const study::PositionLoss& bin : line.by_position) {
    series.x.push_back(static_cast<double>(bin.end));
    series.y.push_back(bin.loss);
  }
  series.dashed = !line.variant.empty();
  return series;
}

LineChart length_chart(const TaskSummary& task, const Summary& summary) {
  LineChart chart{
      .x_label = "tokens in the text",
      .y_label = value_label(task),
      .log_x = true,
      .log_y = has_perplexity(task),
      .named_ends = true,
      .mark = std::pair(static_cast<double>(summary.trained), fmt::format("trained at {}", summary.trained))};
  for (const int64_t length : summary.lengths) chart.x_ticks.push_back(static_cast<double>(length));
  if (!has_perplexity(task)) {
    chart.y_range = std::pair(0.0, 100.0);
    return chart;
  }
  chart.y_cap = perplexity_cap(task);
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Line& line : task.lines) {
    for (const study::Mean& mean : line.scores) {
      const double value = shown(task, mean.value);
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, std::min(value, *chart.y_cap));
    }
  }
  if (low < high) chart.y_range = std::pair(low, high);
  return chart;
}

LineChart position_chart(const TaskSummary& task, const Summary& summary) {
  LineChart chart{
      .x_label = "position in the text",
      .y_label = "loss",
      .log_x = true,
      .named_ends = true,
      .mark = std::pair(static_cast<double>(summary.trained), fmt::format("trained at {}", summary.trained))};
  for (int64_t tick = 8; tick < summary.trained; tick *= 2)
    chart.x_ticks.push_back(static_cast<double>(tick));
  for (const int64_t length : summary.lengths) chart.x_ticks.push_back(static_cast<double>(length));
  // Early positions lack context: their loss is higher for all schemes and stays in the chart.
  double low = std::numeric_limits<double>::infinity(), early = 0, high = 0;
  for (const Line& line : task.lines) {
    for (const study::PositionLoss& bin : line.by_position) {
      if (std::isnan(bin.loss)) continue;
      low = std::min(low, bin.loss);
      high = std::max(high, bin.loss);
      if (bin.end <= summary.trained) early = std::max(early, bin.loss);
    }
  }
  chart.y_cap = std::max(early, std::log(perplexity_cap(task)));
  if (low < high) chart.y_range = std::pair(low, std::min(high, *chart.y_cap));
  return chart;
}

bool has_values(const Series& series) {
  return std::ranges::any_of(series.y, [](double value) { return std::isfinite(value); });
}

// Adds the lines of a family in color and all others in gray. The control keeps its name.
template <class MakeSeries>
void add_family(LineChart& chart, const TaskSummary& task, const std::vector<Family>& families, Family family,
                const MakeSeries& make) {
  for (size_t i = 0; i < task.lines.size(); ++i) {
    Series series = make(task.lines[i]);
    if (!has_values(series)) continue;
    if (families[i] != family) {
      series.muted = true;
      if (task.lines[i].scheme != study::kControl) series.name.clear();
    }
    chart.series.push_back(std::move(series));
  }
}

std::vector<Family> families_of(const TaskSummary& task) {
  std::vector<Family> families;
  for (const Line& line : task.lines) families.push_back(family_of(line));
  return families;
}

std::string missing_note(const TaskSummary& task, const Summary& summary) {
  std::vector<std::string> names;
  for (const Line& line : task.lines) {
    if (std::isnan(line.scores.back().value)) names.push_back(line.label());
  }
  return names.empty() ? ""
                       : fmt::format(" Without a value at {} tokens: {}.", summary.lengths.back(),
                                     study::listed(names));
}

}  // namespace

Family family_of(const Line& line) { return family_of(*study::scheme_choice(line.scheme).info); }

double perplexity_cap(const TaskSummary& task) {
  double best = std::numeric_limits<double>::infinity();
  for (const Line& line : task.lines) {
    for (const study::Mean& mean : line.scores) {
      if (!std::isnan(mean.value)) best = std::min(best, shown(task, mean.value));
    }
  }
  return 2 * best;
}

std::optional<Figure> tradeoff(const Summary& summary, const study::Verdict& verdict) {
  const TaskSummary& task = summary.tasks.front();
  const bool relative = !std::isnan(summary.step_ratio(study::kControl));
  ScatterChart chart{.x_label = relative ? "time of a training step, no scheme = 1 (log scale)"
                                         : "time of a training step, ms",
                     .y_label = fmt::format("{} at {} tokens", value_label(task), summary.lengths.back()),
                     .log_x = true,
                     .log_y = has_perplexity(task),
                     .better = has_perplexity(task) ? "\u2199 better: faster and lower"
                                                    : "\u2196 better: faster and higher"};
  if (has_perplexity(task)) chart.y_cap = perplexity_cap(task);
  for (size_t i = 0; i < kFamilies; ++i) chart.groups.emplace_back(title_of(static_cast<Family>(i)));
  for (const Line* line : study::ranked(task)) {
    const auto cost = std::ranges::find(summary.costs, line->scheme, &study::Cost::scheme);
    const double y = shown(task, line->scores.back().value);
    if (cost == summary.costs.end() || std::isnan(y)) continue;
    if (chart.y_cap && std::isinf(*chart.y_cap)) continue;  // no perplexity can be drawn
    const double x = relative ? summary.step_ratio(line->scheme) : 1e3 * cost->step_seconds;
    chart.points.push_back(
        {line->label(), x, y, static_cast<size_t>(family_of(*line)), line->label() == verdict.pick});
  }
  if (chart.points.empty()) return std::nullopt;
  for (size_t i = 0; i < chart.groups.size(); ++i) {
    if (std::ranges::count(chart.points, i, &ScatterPoint::group) == 0) chart.groups[i].clear();
  }
  return Figure{
      .name = "tradeoff",
      .title = fmt::format("Cost against {} at {} tokens", has_perplexity(task) ? "perplexity" : "accuracy",
                           summary.lengths.back()),
      .caption = fmt::format(
          "{}, {} times the trained length. The bold name is the verdict's choice. \u2191 marks a "
          "value above the chart.{}",
          task.task->title,
          static_cast<double>(summary.lengths.back()) / static_cast<double>(summary.trained),
          missing_note(task, summary)),
      .scatters = {std::move(chart)},
      .wide = true};
}

Figure family_curves(const TaskSummary& task, const Summary& summary) {
  const std::vector<Family> families = families_of(task);
  Figure figure{.name = std::string(task.task->name), .title = "By family of schemes", .paired = true};
  bool variants = false;
  for (const Line& line : task.lines) variants |= !line.variant.empty();
  for (size_t i = 0; i + 1 < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    if (std::ranges::count(families, family) == 0) continue;
    LineChart lengths = length_chart(task, summary);
    lengths.title =
        fmt::format("{}: {}", title_of(family), has_perplexity(task) ? "perplexity over length" : "accuracy");
    add_family(lengths, task, families, family,
               [&](const Line& line) { return length_series(task, summary, line); });
    if (!lengths.series.empty()) figure.charts.push_back(std::move(lengths));
    if (!has_perplexity(task)) continue;
    LineChart positions = position_chart(task, summary);
    positions.title = fmt::format("{}: loss by position", title_of(family));
    add_family(positions, task, families, family, position_series);
    const bool any =
        std::ranges::any_of(positions.series, [](const Series& series) { return !series.muted; });
    if (any) figure.charts.push_back(std::move(positions));
  }
  double widest = 0;  // of the names, with the additions of lines that end early or leave the chart
  for (const Line& line : task.lines) {
    const double last = line.scores.back().value;
    const char* const added = std::isnan(last)                                      ? ", to 128"
                              : has_perplexity(task) && last > perplexity_cap(task) ? " \u219199.9"
                                                                                    : "";
    widest = std::max(widest, text_width(shortened(line.label(), kTextSize, kMostName) + added, kTextSize));
  }
  for (LineChart& chart : figure.charts) chart.names_width = widest;
  if (figure.charts.empty()) {  // the control alone
    LineChart lengths = length_chart(task, summary);
    for (const Line& line : task.lines) {
      Series series = length_series(task, summary, line);
      if (has_values(series)) lengths.series.push_back(std::move(series));
    }
    if (!lengths.series.empty()) figure.charts.push_back(std::move(lengths));
  }
  figure.caption = fmt::format(
      "{} is better. Gray: the schemes of the other panels.{}{}", has_perplexity(task) ? "Lower" : "Higher",
      variants ? " Dashed: the same parameters with options for longer texts." : "",
      has_perplexity(task)
          ? fmt::format(" \u2191 marks a line that leaves the chart, above {:.3g}, twice the best "
                        "perplexity. Loss by position: each mark is the mean loss of the tokens since the "
                        "previous mark, in texts of {} tokens.",
                        perplexity_cap(task), summary.lengths.back())
          : "");
  return figure;
}

Drawing summary_chart(const Summary& summary) {
  constexpr int64_t kMostColors = 8;
  constexpr double kChartWidth = 860, kChartHeight = 430;
  const TaskSummary& task = summary.tasks.front();
  std::vector<std::string> highlighted;
  for (size_t i = 0; i + 1 < kFamilies; ++i) {
    std::vector<std::string> family;
    for (const Line* line : study::ranked(task)) {
      if (family_of(*line) == static_cast<Family>(i)) family.push_back(line->label());
    }
    if (!family.empty()) highlighted.insert(highlighted.end(), {family.front(), family.back()});
  }
  LineChart chart = length_chart(task, summary);
  chart.title = fmt::format("{}: {} over the length of the text", task.task->title,
                            has_perplexity(task) ? "perplexity" : "accuracy");
  const auto colors = std::ranges::count_if(
      task.lines, [](const Line& line) { return line.variant.empty() && line.scheme != study::kControl; });
  const bool all = colors <= kMostColors;
  if (has_perplexity(task)) {
    // Room for the control, which the report clips.
    chart.y_cap = *chart.y_cap * 1.25;
    chart.y_range.reset();
  }
  for (const Line& line : task.lines) {
    Series series = length_series(task, summary, line);
    if (!has_values(series)) continue;
    series.muted =
        line.scheme == study::kControl || (!all && std::ranges::count(highlighted, line.label()) == 0);
    if (series.muted && line.scheme != study::kControl) series.name.clear();
    // Without its scheme in color a variant has a color of its own.
    series.dashed = series.dashed && (all || std::ranges::count(highlighted, line.scheme) > 0);
    chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return paragraph(std::string(kNoValues), kChartWidth);
  return draw(chart, kChartWidth, kChartHeight);
}

}  // namespace locus::report
