#include "locus/report/training_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/checked.h"
#include "locus/base/file.h"
#include "locus/base/paths.h"

namespace locus::report {
namespace {

constexpr int64_t kMostGroups = 400;

// Means of `value` over groups of steps, each at the last step of its group.
Series averaged(const std::string& name, const std::vector<StepMetrics>& steps, double StepMetrics::*value) {
  Series series{.name = name};
  const auto count = static_cast<int64_t>(steps.size());
  const int64_t group = divide_up(std::max<int64_t>(count, 1), kMostGroups);
  for (int64_t begin = 0; begin < count; begin += group) {
    const int64_t end = std::min(begin + group, count);
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += steps[static_cast<size_t>(i)].*value;
    series.x.push_back(static_cast<double>(steps[static_cast<size_t>(end - 1)].step));
    series.y.push_back(sum / static_cast<double>(end - begin));
  }
  return series;
}

Series validation_series(const std::vector<Validation>& validations) {
  Series series{.name = "validation"};
  for (const Validation& one : validations) {
    series.x.push_back(static_cast<double>(one.step));
    series.y.push_back(one.loss);
  }
  return series;
}

// Values that differ by more than a factor of ten need a logarithmic axis: one spike would flatten the rest.
bool spans_decades(const std::vector<Series>& series) {
  constexpr double kDecade = 10;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Series& one : series) {
    for (const double value : one.y) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  return low > 0 && high > kDecade * low;
}

// Skips a figure without values, such as before the first step.
void add_figure(std::vector<Figure>& figures, const std::string& title, std::vector<Series> series,
                const std::string& caption, bool may_be_log = false) {
  const bool drawable = std::ranges::any_of(series, [](const Series& one) {
    return std::ranges::any_of(one.y, [](double value) { return std::isfinite(value); });
  });
  if (!drawable) return;
  const bool log = may_be_log && spans_decades(series);
  figures.push_back(
      {.title = title,
       .caption = caption + (log ? " Logarithmic scale." : ""),
       .charts = {{.x_label = "step", .y_label = title, .series = std::move(series), .log_y = log}}});
}

std::string summary(const Metrics& metrics) {
  if (metrics.steps.empty()) return "No training step has finished yet.";
  const StepMetrics& last = metrics.steps.back();
  std::string text = fmt::format("After {} steps the training loss is {:.4g}", last.step, last.loss);
  const auto best = std::ranges::min_element(metrics.validations, {}, &Validation::loss);
  if (best != metrics.validations.end()) {
    text += fmt::format("; the best validation loss is {:.4g}, at step {}", best->loss, best->step);
  }
  return text + ".";
}

}  // namespace

std::string training_page(std::string_view title, const Metrics& metrics,
                          const std::vector<RunChange>& changes) {
  double seconds = 0;
  int64_t tokens = 0;
  for (const StepMetrics& step : metrics.steps) {
    seconds += step.seconds;
    tokens += step.tokens;
  }
  std::vector<Series> losses = {averaged("training", metrics.steps, &StepMetrics::loss)};
  if (!metrics.validations.empty()) losses.push_back(validation_series(metrics.validations));
  std::vector<Figure> figures;
  add_figure(
      figures, "Loss", losses,
      "Lower is better. The model overfits if the validation loss rises while the training loss falls.");
  add_figure(figures, "Learning rate", {averaged("", metrics.steps, &StepMetrics::rate)},
             "After warmup and decay.");
  add_figure(figures, "Gradient norm", {averaged("", metrics.steps, &StepMetrics::norm)},
             "Before clipping. A sudden rise often precedes divergence.", true);
  Page page(fmt::format("Training: {}", title));
  page.lead(summary(metrics));
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Training tokens", fmt::format("{}", tokens)},
      {"Training time", fmt::format("{:.1f} s", seconds)},
      {"Speed", fmt::format("{:.0f} tokens/s", seconds > 0 ? static_cast<double>(tokens) / seconds : 0)}};
  for (const RunChange& change : changes) {
    facts.emplace_back(fmt::format("After step {}", change.step), in_words(change));
  }
  page.facts(facts);
  page.figures(figures);
  return page.html();
}

void write_training_page(const RunFolder& folder) {
  write_file(folder.path() / "training.html",
             training_page(absolute_path(folder.path()).filename().string(), read_metrics(folder.metrics()),
                           read_changes(folder.path() / "last")));
}

}  // namespace locus::report
