#include "locus/report/length_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace locus::report {
namespace {

std::vector<LengthScore> evaluated(const LengthEvaluation& evaluation) {
  std::vector<LengthScore> scores = evaluation.lengths;
  std::erase_if(scores, [](const LengthScore& score) { return !score.problem.empty(); });
  return scores;
}

std::string fixed(double value) { return fmt::format("{:.4f}", value); }
std::string rounded(double value) { return fmt::format("{:.4g}", value); }

// Only a length inside the chart is marked.
void mark_own_length(LineChart& chart, const LengthSubject& subject) {
  const auto& x = chart.series.front().x;
  const auto own = static_cast<double>(subject.own_length);
  if (x.front() <= own && own <= x.back()) chart.mark = std::pair(own, subject.own_name);
}

Figure length_figure(const LengthSubject& subject, const std::vector<LengthScore>& scores) {
  LineChart chart{.x_label = "tokens in a window", .y_label = "perplexity", .log_x = true};
  Series all{.name = "all targets"},
      late{.name = "targets in the second half of their window", .dashed = true};
  for (const LengthScore& score : scores) {
    const auto length = static_cast<double>(score.length);
    all.x.push_back(length);
    all.y.push_back(std::exp(score.loss));
    late.x.push_back(length);
    late.y.push_back(std::exp(score.late_loss.value_or(std::nan(""))));
    chart.x_ticks.push_back(length);
  }
  chart.series = {std::move(all), std::move(late)};
  mark_own_length(chart, subject);
  return {.name = "perplexity_by_length",
          .title = "Perplexity by length",
          .caption =
              "Lower is better. All lengths have the same targets. The first tokens of a window have little "
              "context; the dashed line leaves out the first half of every window.",
          .charts = {std::move(chart)}};
}

Figure position_figure(const LengthSubject& subject, const LengthEvaluation& evaluation) {
  LineChart chart{.x_label = "position in the window", .y_label = "loss", .log_x = true};
  Series series{.name = ""};
  for (const PositionLoss& one : evaluation.positions) {
    series.x.push_back(static_cast<double>(one.most));
    series.y.push_back(one.loss);
    chart.x_ticks.push_back(static_cast<double>(one.most));
  }
  chart.series = {std::move(series)};
  mark_own_length(chart, subject);
  return {.name = "loss_by_position",
          .title = "Loss by position",
          .caption =
              fmt::format("Mean over all windows of {} tokens. Each mark is the last position of its band.",
                          evaluation.longest()),
          .charts = {std::move(chart)}};
}

// The greatest length compared with the model's own length or, if that was not evaluated, with the smallest.
std::string answer(const LengthSubject& subject, const std::vector<LengthScore>& scores) {
  const LengthScore& last = scores.back();
  const auto own = std::ranges::find(scores, subject.own_length, &LengthScore::length);
  const LengthScore& first = own == scores.end() ? scores.front() : *own;
  const std::string longest = rounded(std::exp(last.loss));
  if (first.length == last.length) {
    return fmt::format("The perplexity is {} in windows of {} tokens.", longest, last.length);
  }
  return fmt::format(
      "The perplexity is {} in windows of {} tokens and {} in windows of {} tokens, {:.2f} times as high.",
      rounded(std::exp(first.loss)), first.length, longest, last.length, std::exp(last.loss - first.loss));
}

void add_table(Page& page, const std::vector<LengthScore>& scores) {
  const bool bits = scores.front().bits_per_byte.has_value();
  std::vector<std::string> columns = {"tokens",     "windows",  "targets",         "loss",
                                      "perplexity", "accuracy", "loss in 2nd half"};
  if (bits) columns.emplace_back("bits per byte");
  std::vector<std::vector<TableCell>> rows;
  for (const LengthScore& score : scores) {
    std::vector<std::string> cells = {fmt::format("{}", score.length),
                                      fmt::format("{}", score.windows),
                                      fmt::format("{}", score.targets),
                                      fixed(score.loss),
                                      fixed(std::exp(score.loss)),
                                      fixed(score.accuracy),
                                      score.late_loss ? fixed(*score.late_loss) : "-"};
    if (bits) cells.push_back(fixed(*score.bits_per_byte));
    rows.emplace_back();
    for (std::string& cell : cells) rows.back().push_back({.text = std::move(cell)});
  }
  page.table(columns, rows);
}

}  // namespace

std::string length_page(const LengthSubject& subject, const LengthEvaluation& evaluation) {
  const std::vector<LengthScore> scores = evaluated(evaluation);
  Page page(fmt::format("{} by length", subject.model));
  const std::vector<std::string> sentences = {answer(subject, scores)};
  page.verdict(sentences, fmt::format("{}: {} tokens, {} bytes. Position scheme: {}.", subject.text,
                                      evaluation.tokens, evaluation.bytes, subject.scheme));
  std::vector<Figure> figures;
  if (scores.size() > 1) figures.push_back(length_figure(subject, scores));
  if (evaluation.positions.size() > 1) figures.push_back(position_figure(subject, evaluation));
  page.figures(figures);
  add_table(page, scores);
  for (const LengthScore& score : evaluation.lengths) {
    if (!score.problem.empty()) {
      page.note(fmt::format("{} tokens were not evaluated: {}.", score.length, score.problem));
    }
  }
  return page.html();
}

}  // namespace locus::report
