#include "locus/report/scheme_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace locus::report {
namespace {

constexpr int64_t kMostPoints = 256;  // of a line, in each direction
constexpr int64_t kMostRows = 128;    // of a map
constexpr const char* kDistance = "distance j \u2212 i";

// At most `most` evenly spaced positions of 0 .. length - 1.
std::vector<int32_t> sampled(int64_t length, int64_t most) {
  const int64_t step = (length + most - 1) / most;
  std::vector<int32_t> positions;
  for (int64_t p = 0; p < length; p += step) positions.push_back(static_cast<int32_t>(p));
  return positions;
}

std::vector<double> as_numbers(std::span<const int32_t> positions) {
  return {positions.begin(), positions.end()};
}

std::string steps(std::span<const int32_t> shown, std::string_view what = "position") {
  return shown.size() > 1 && shown[1] > 1 ? fmt::format(" One {} in {} is shown.", what, shown[1]) : "";
}

// Queries for schemes that are not relative: at a quarter, a half and the end.
std::vector<int32_t> example_queries(std::span<const int32_t> positions) {
  std::vector<int32_t> result;
  for (const size_t i : {positions.size() / 4, positions.size() / 2, positions.size() - 1}) {
    if (result.empty() || result.back() != positions[i]) result.push_back(positions[i]);
  }
  return result;
}

bool heads_are_equal(const std::vector<double>& scores, int64_t heads) {
  const size_t size = scores.size() / static_cast<size_t>(heads);
  return std::equal(scores.begin() + static_cast<ptrdiff_t>(size), scores.end(), scores.begin());
}

std::string head_name(bool all_equal, int64_t head) {
  return all_equal ? "every head" : fmt::format("head {}", head + 1);
}

std::string learned(const Probe& probe) {
  if (probe.parameters() == 0) return "";
  return probe.of_model() ? " Learned parameters have the model's values."
                          : " Learned parameters have their initial values.";
}

std::string reading(const Probe& probe) {
  return "All queries and keys are the same vector; without a scheme every score is 1." + learned(probe);
}

// For a relative scheme one line per head is enough: the last query gives the negative distances, the first
// one the positive ones.
LineChart by_head(const Probe& probe, int64_t length) {
  const int64_t heads = probe.geometry().heads;
  const std::vector<int32_t> forward = sampled(length, kMostPoints);
  const int32_t first[] = {0}, last[] = {static_cast<int32_t>(length - 1)};
  std::vector<int32_t> backward;
  for (const int32_t position : forward) backward.push_back(last[0] - position);
  const std::vector<double> scores_backward = probe.scores(last, backward),
                            scores_forward = probe.scores(first, forward);
  const bool equal = heads_are_equal(scores_backward, heads) && heads_are_equal(scores_forward, heads);
  LineChart chart{.x_label = kDistance, .y_label = "score"};
  const size_t n = forward.size();
  for (int64_t h = 0; h < (equal ? 1 : heads); ++h) {
    Series series{.name = head_name(equal, h)};
    const size_t start = h * n;
    for (size_t i = n; i-- > 0;) {
      series.x.push_back(-forward[i]);
      series.y.push_back(scores_backward[start + i]);
    }
    for (size_t i = 1; i < n && !probe.geometry().causal; ++i) {
      series.x.push_back(forward[i]);
      series.y.push_back(scores_forward[start + i]);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// One chart per line with a common range, for lines that cross without order.
std::vector<LineChart> one_per_line(const LineChart& chart) {
  std::vector<double> all;
  for (const Series& series : chart.series) all.insert(all.end(), series.y.begin(), series.y.end());
  std::vector<LineChart> charts;
  for (const Series& series : chart.series) {
    charts.push_back({.title = series.name,
                      .x_label = chart.x_label,
                      .y_label = chart.y_label,
                      .series = {{"", series.x, series.y}},
                      .y_range = finite_range(all)});
  }
  return charts;
}

// For any other scheme: one chart per head, one line per query.
std::vector<LineChart> by_query(const Probe& probe, int64_t length) {
  const int64_t heads = probe.geometry().heads;
  const std::vector<int32_t> keys = sampled(length, kMostPoints), queries = example_queries(keys);
  const std::vector<double> scores = probe.scores(queries, keys);
  const bool equal = heads_are_equal(scores, heads);
  std::vector<LineChart> charts;
  for (int64_t h = 0; h < (equal ? 1 : heads); ++h) {
    LineChart chart{.title = head_name(equal, h),
                    .x_label = kDistance,
                    .y_label = "score",
                    .y_range = finite_range(scores)};
    for (size_t i = 0; i < queries.size(); ++i) {
      Series series{.name = fmt::format("i = {}", queries[i])};
      for (size_t j = 0; j < keys.size(); ++j) {
        if (probe.geometry().causal && keys[j] > queries[i]) break;
        series.x.push_back(keys[j] - queries[i]);
        series.y.push_back(scores[(h * queries.size() + i) * keys.size() + j]);
      }
      chart.series.push_back(std::move(series));
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

// Position vectors added to the input do not change the scores of the probe.
bool scores_are_relative(const SchemeInfo& info) {
  if (info.parts.empty()) return info.relative;
  return std::ranges::all_of(
      info.parts, [](const SchemeInfo* part) { return part->relative || part->acts_on == ActsOn::input; });
}

Figure scores_over_distance(const Probe& probe, int64_t length) {
  Figure figure{.name = "scores_over_distance",
                .title = "Score by distance",
                .caption = fmt::format("The score of query i and key j by their distance. {}{}",
                                       reading(probe), steps(sampled(length, kMostPoints)))};
  if (!scores_are_relative(probe.info())) {
    figure.charts = by_query(probe, length);
  } else {
    const LineChart chart = by_head(probe, length);
    // Learned lines start at random and cross.
    figure.charts = probe.parameters() > 0 ? one_per_line(chart) : std::vector{chart};
  }
  return figure;
}

Figure scores_over_positions(const Probe& probe, int64_t length) {
  const int64_t heads = probe.geometry().heads;
  const std::vector<int32_t> positions = sampled(length, kMostRows);
  const std::vector<double> scores = probe.scores(positions, positions);
  const bool equal = heads_are_equal(scores, heads);
  Figure figure{
      .name = "scores_over_positions",
      .title = "Score by query and key position",
      .caption = fmt::format("One row per query, one column per key. {}{}", reading(probe), steps(positions)),
      .colors = "score"};
  const size_t n = positions.size();
  for (int64_t h = 0; h < (equal ? 1 : heads); ++h) {
    HeatMap map{.title = head_name(equal, h), .x_label = "key j", .y_label = "query i"};
    map.x = map.y = as_numbers(positions);
    const auto first = scores.begin() + static_cast<ptrdiff_t>(h * n * n);
    map.values.assign(first, first + static_cast<ptrdiff_t>(n * n));
    for (size_t i = 0; i < n && probe.geometry().causal; ++i) {
      std::fill_n(map.values.begin() + static_cast<ptrdiff_t>(i * n + i + 1), n - i - 1,
                  std::numeric_limits<double>::quiet_NaN());
    }
    figure.maps.push_back(std::move(map));
  }
  share_colors(figure.maps);
  return figure;
}

// Cosines of all pairs of rows of two matrices; 0 for rows that are zero or not finite.
std::vector<double> cosines(const std::vector<double>& a, const std::vector<double>& b, size_t width) {
  const auto product = [width](const double* x, const double* y) {
    double sum = 0;
    for (size_t n = 0; n < width; ++n) sum += x[n] * y[n];
    return sum;
  };
  std::vector<double> result;
  for (size_t i = 0; i < a.size(); i += width) {
    for (size_t j = 0; j < b.size(); j += width) {
      const double sizes = std::sqrt(product(&a[i], &a[i]) * product(&b[j], &b[j]));
      result.push_back(sizes > 0 && std::isfinite(sizes) ? product(&a[i], &b[j]) / sizes : 0);
    }
  }
  return result;
}

Figure similarity_over_distance(const Probe& probe, int64_t length) {
  const std::vector<int32_t> to = sampled(length, kMostPoints), from = example_queries(to);
  const std::vector<double> rows = probe.input_rows(to);
  const std::vector<double> values = cosines(probe.input_rows(from), rows, rows.size() / to.size());
  LineChart chart{.x_label = kDistance, .y_label = "cosine"};
  for (size_t i = 0; i < from.size(); ++i) {
    Series series{.name = fmt::format("from position {}", from[i])};
    for (size_t j = 0; j < to.size(); ++j) {
      series.x.push_back(to[j] - from[i]);
      series.y.push_back(values[i * to.size() + j]);
    }
    chart.series.push_back(std::move(series));
  }
  return {.name = "similarity_over_distance",
          .title = "Similarity by distance",
          .caption = fmt::format("The cosine of the position vectors of tokens i and j.{}{}", learned(probe),
                                 steps(to)),
          .charts = {std::move(chart)}};
}

Figure similarity_over_positions(const Probe& probe, int64_t length) {
  const std::vector<int32_t> positions = sampled(length, kMostRows);
  const std::vector<double> rows = probe.input_rows(positions);
  HeatMap map{.x_label = "position j",
              .y_label = "position i",
              .values = cosines(rows, rows, rows.size() / positions.size())};
  map.x = map.y = as_numbers(positions);
  Figure figure{.name = "similarity_over_positions",
                .title = "Similarity by positions",
                .caption = fmt::format("The cosine of the position vectors of tokens i and j.{}{}",
                                       learned(probe), steps(positions)),
                .maps = {std::move(map)},
                .colors = "cosine"};
  share_colors(figure.maps);
  return figure;
}

// Outliers, which learned tables have, would leave one color for all other values.
void clip_colors(HeatMap& map) {
  std::vector<double> sorted = map.values;
  std::erase_if(sorted, [](double value) { return !std::isfinite(value); });
  std::ranges::sort(sorted);
  const size_t few = sorted.size() / 200;
  if (sorted.empty() || sorted[few] == sorted[sorted.size() - 1 - few]) return;
  map.low = sorted[few];
  map.high = sorted[sorted.size() - 1 - few];
}

Figure rows_over_positions(const Probe& probe, int64_t length) {
  const std::vector<int32_t> positions = sampled(length, kMostRows);
  const std::vector<double> rows = probe.input_rows(positions);
  const size_t width = rows.size() / positions.size();
  // Alternating sines and cosines have no useful mean: elements are sampled, not averaged.
  const std::vector<int32_t> elements = sampled(static_cast<int64_t>(width), kMostRows);
  HeatMap map{.x_label = "element", .y_label = "position"};
  map.x = as_numbers(elements);
  map.y = as_numbers(positions);
  for (size_t i = 0; i < positions.size(); ++i) {
    for (const int32_t element : elements)
      map.values.push_back(rows[i * width + static_cast<size_t>(element)]);
  }
  Figure figure{
      .name = "rows",
      .title = "Position vectors",
      .caption = fmt::format("The vector of every position. The colors cover 99 % of the values.{}{}{}",
                             learned(probe), steps(positions), steps(elements, "element")),
      .maps = {std::move(map)},
      .colors = "value"};
  share_colors(figure.maps);
  clip_colors(figure.maps[0]);
  return figure;
}

}  // namespace

std::vector<Figure> scheme_figures(const Probe& probe, int64_t length) {
  const std::vector<std::string_view> kinds = probe.kinds();
  std::vector<Figure> figures;
  // A scheme that acts on the input alone does not change the score of a given query and key.
  if (kinds != std::vector<std::string_view>{"input"}) {
    figures.push_back(scores_over_distance(probe, length));
    figures.push_back(scores_over_positions(probe, length));
  }
  if (std::ranges::count(kinds, "input") > 0) {
    figures.push_back(similarity_over_distance(probe, length));
    figures.push_back(similarity_over_positions(probe, length));
    figures.push_back(rows_over_positions(probe, length));
  }
  return figures;
}

}  // namespace locus::report
