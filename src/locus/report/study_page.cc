#include "locus/report/study_page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/version.h"
#include "locus/report/page.h"
#include "locus/report/study_figures.h"
#include "locus/report/study_matrix.h"
#include "locus/scheme/scheme.h"
#include "locus/study/verdict.h"

namespace locus::report {
namespace {

using study::Line;
using study::Mean;
using study::Metric;
using study::Summary;
using study::TaskSummary;
using Facts = std::vector<std::pair<std::string, std::string>>;

std::string with_spread(const study::Task& task, const Mean& mean, int64_t seeds) {
  if (std::isnan(mean.value)) return mean.why == study::kNotFinite ? "not finite" : "not defined";
  if (task.metric == Metric::accuracy) {
    return seeds < 2 ? fmt::format("{:.1f} %", 100 * mean.value)
                     : fmt::format("{:.1f} \u00b1 {:.1f} %", 100 * mean.value, 50 * mean.spread);
  }
  return seeds < 2 ? fmt::format("{:.2f}", mean.value)
                   : fmt::format("{:.2f} \u00b1 {:.2f}", mean.value, mean.spread / 2);
}

// Shades of a task's values, 1 for the best. Perplexities from twice the best on have the worst shade.
struct Shades {
  double best = std::numeric_limits<double>::infinity();
  bool logarithmic = false;

  explicit Shades(const TaskSummary& task) : logarithmic(task.task->metric == Metric::perplexity) {
    if (logarithmic) best = perplexity_cap(task) / 2;
  }
  double of(double value) const {
    if (std::isnan(value)) return -1;
    if (logarithmic && std::isinf(best)) return 0;
    return std::clamp(logarithmic ? 1 - std::log2(value / best) : value, 0.0, 1.0);
  }
};

// All values of a task; with `bits`, of a text in bits per byte.
void add_values(Page& page, const TaskSummary& task, const Summary& summary, bool bits = false) {
  std::vector<std::string> columns = {"Scheme"};
  for (const int64_t length : summary.lengths) {
    columns.push_back(fmt::format("{}{}", length, length == summary.trained ? " (trained)" : ""));
  }
  const Shades shades(task);
  std::vector<std::vector<TableCell>> rows;
  for (const Line* line : study::ranked(task)) {
    std::vector<TableCell>& row = rows.emplace_back();
    row.push_back({.text = line->label()});
    for (const Mean& mean : line->scores) {
      row.push_back(bits ? bits_cell(task, mean)
                         : TableCell{.text = with_spread(*task.task, mean, summary.seeds)});
      row.back().shade = shades.of(mean.value);
      row.back().note = mean.why;
    }
  }
  page.table(columns, rows);
}

Page task_part(const TaskSummary& task, const Summary& summary) {
  Page part("");
  part.paragraph(fmt::format("The model must {}. Position information that it needs: {}.", task.task->summary,
                             task.task->position));
  part.formula(fmt::format("Example:  {}", task.task->example));
  const std::vector<std::string> blind = study::without_direction(task);
  if (!blind.empty()) {
    part.paragraph(
        fmt::format("{} depend{} on the distance alone. In an encoder, which attends in both directions, {} "
                    "cannot distinguish the token before from the token after.",
                    study::listed(blind), blind.size() == 1 ? "s" : "", blind.size() == 1 ? "it" : "they"));
  }
  const Figure curves = family_curves(task, summary);
  if (curves.charts.empty()) {
    part.note(kNoValues);
  } else {
    part.figures(std::vector{curves});
  }
  Page values("");
  values.note(summary.seeds == 1
                  ? "One seed. Brighter is better."
                  : fmt::format("Means over {} seeds \u00b1 half of the spread between the best and the "
                                "worst. Brighter is better.",
                                summary.seeds));
  add_values(values, task, summary);
  if (task.task->text) {
    values.note(
        fmt::format("In bits per byte, which can be compared between tokenizers: log2(perplexity) / {:.3g} "
                    "bytes per token of the test part.{}",
                    task.task->text->bytes_per_token,
                    task.task->text->exact ? ""
                                           : " The tokenizer does not reproduce the text exactly: do not "
                                             "compare these values with those of other tokenizers."));
    add_values(values, task, summary, true);
  }
  part.details(fmt::format("All values: {}", task.task->title), values);
  return part;
}

void add_costs(Page& page, const Summary& summary) {
  std::vector<std::vector<TableCell>> rows;
  for (const study::Cost& cost : summary.costs) {
    const double ratio = summary.step_ratio(cost.scheme);
    rows.push_back({{.text = cost.scheme},
                    {.text = fmt::format("{}", cost.parameters)},
                    {.text = fmt::format("{:.1f} ms", 1e3 * cost.step_seconds)},
                    {.text = std::isnan(ratio) ? "" : fmt::format("{:.2f}\u00d7", ratio)},
                    {.text = fmt::format("{:.1f} MB", static_cast<double>(cost.step_bytes) / 1e6)}});
  }
  page.table(std::vector<std::string>{"Scheme", "parameters", "training step", "no scheme = 1",
                                      "peak memory of a step"},
             rows);
}

// Options that follow from the trained length, with the paper's choice.
void add_options(Facts& facts, const Blueprint& model, const study::SchemeChoice& choice) {
  const SchemeInfo& info = *choice.info;
  for (const auto& [name, value] : choice.options)
    facts.emplace_back(name, fmt::format("{}, as given", value));
  const auto add = [&](const SchemeInfo& part, const std::string& prefix) {
    for (const LengthRule& rule : part.length_rules) {
      const auto found = model.scheme_options.find(prefix + std::string(rule.option));
      if (found == model.scheme_options.end() || choice.options.contains(found->first)) continue;
      facts.emplace_back(
          found->first, fmt::format("{} in this study; the paper uses {:g} for models trained at {:g} tokens",
                                    found->second, rule.value, rule.length));
    }
  };
  add(info, "");
  for (const SchemeInfo* part : info.parts) add(*part, fmt::format("{}.", part->name));
}

Page card(const SchemeCard& card, const StudyReport& report) {
  const study::SchemeChoice choice = study::scheme_choice(card.scheme);
  const SchemeInfo& info = *choice.info;
  Page part("");
  part.lead(info.summary);
  part.formula(info.formula);
  Facts facts = {{"paper", std::string(info.paper)},
                 {"used by", std::string(info.models)},
                 {"cost", std::string(info.cost)}};
  add_options(facts, blueprint(report.study.conditions, *report.summary.tasks.front().task, card.scheme),
              choice);
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
          line.variant.empty() ? task.task->title : fmt::format("{}, {}", task.task->title, line.variant),
          fmt::format("{}", fmt::join(values, ", ")));
    }
  }
  part.facts(facts);
  if (!card.repeated_word.empty()) {
    part.heading("One word, two positions");
    part.list(card.repeated_word);
  }
  part.figures(card.figures);
  return part;
}

// Everything that is needed to repeat the study with this page alone.
void add_method(Page& page, const StudyReport& report) {
  const std::string settings = study_toml(report.study);
  const bool defaults = settings == study_toml(study::Study{});
  page.heading("How it was measured");
  page.paragraph(
      "Every model is the same except for the position scheme. All train on the same texts in the same order "
      "and are "
      "tested on the same longer texts.");
  page.paragraph(study::rules());
  page.paragraph("Options of a scheme follow from the trained length, as in its paper; its card shows them.");
  Facts facts = {{"repeat it", defaults ? "locus compare" : "locus compare --study study.toml"},
                 {"seeds", fmt::format("{}", report.summary.seeds)},
                 {"version", std::string(version())},
                 {"machine", report.machine}};
  const study::Task& task = *report.summary.tasks.front().task;
  if (const std::optional<study::TextFacts>& text = task.text) {
    facts.emplace_back(
        "text",
        fmt::format("{} tokens to train on, the following {} to test on; vocabulary of {}, {:.3g} "
                    "bytes per token",
                    text->training_tokens, text->test_tokens, task.vocabulary, text->bytes_per_token));
  }
  page.facts(facts);
  add_costs(page, report.summary);
  page.paragraph(defaults ? "The settings, all of them defaults:"
                          : "The settings, also in study.toml beside this page:");
  page.formula(settings);
}

}  // namespace

std::string study_page(const StudyReport& report) {
  const Summary& summary = report.summary;
  const bool longer = summary.trained_column() + 1 < summary.lengths.size();
  Page page(longer ? fmt::format("Position schemes: trained at {} tokens, tested up to {}", summary.trained,
                                 summary.lengths.back())
                   : fmt::format("Position schemes: trained and tested at {} tokens", summary.trained));
  const study::Verdict verdict = study::verdict(summary);
  page.verdict(verdict.sentences, study::size_note(report.study));
  add_matrix(page, summary, verdict.pick);
  if (const std::optional<Figure> figure = tradeoff(summary, verdict)) page.figures(std::vector{*figure});
  page.heading("Task by task");
  std::vector<std::pair<std::string, Page>> parts;
  for (const TaskSummary& task : summary.tasks) {
    if (!task.lines.empty()) parts.emplace_back(std::string(task.task->title), task_part(task, summary));
  }
  page.tabs("task", parts);
  page.heading("Scheme by scheme");
  for (const SchemeCard& one : report.cards) page.details(one.scheme, card(one, report));
  add_method(page, report);
  return page.html();
}

}  // namespace locus::report
