// Whether a cell is the expected one of a study. Its file may come from anybody, and the report computes with
// every number in it.
#include <algorithm>
#include <cmath>

#include "locus/base/quote.h"
#include "locus/study/study.h"

namespace locus::study {
namespace {

bool can_be(const Score& score, const Task& task) {
  if (std::isnan(score.value)) return true;
  return task.metric == Metric::perplexity ? score.value > 0 : score.value >= 0 && score.value <= 1;
}

// Why lengths are not some of the study's with the trained one; empty if they are.
std::string length_problem(const Conditions& conditions, const std::vector<int64_t>& lengths) {
  const std::vector<int64_t> all = conditions.test_lengths();
  const bool some = std::ranges::includes(all, lengths) && std::ranges::is_sorted(lengths) &&
                    std::ranges::count(lengths, conditions.length) == 1;
  return some ? "" : fmt::format("it has the test lengths {}", fmt::join(lengths, ", "));
}

// Why losses by position are not those of a test; empty if they are. A row whose tests past the trained
// length have no values has the losses of the first row.
std::string bins_problem(const std::vector<PositionLoss>& bins, int64_t trained,
                         const std::vector<int64_t>& lengths) {
  const auto bounds = [](const PositionLoss& bin) { return std::pair(bin.begin, bin.end); };
  const bool known = std::ranges::any_of(lengths, [&](int64_t length) {
    return std::ranges::equal(bins, position_bins(trained, length), {}, bounds, bounds);
  });
  if (!known) return "has losses at positions that no test has";
  constexpr double kMostLoss = 1e39;  // the difference of two logits, which are f32
  const auto wrong = std::ranges::find_if(
      bins, [](const PositionLoss& bin) { return bin.loss < 0 || bin.loss > kMostLoss; });
  return wrong == bins.end() ? "" : fmt::format("has the loss {}", wrong->loss);
}

// Why a row is not one of a cell with these lengths; empty if it is.
std::string row_problem(const Row& row, const Task& task, int64_t trained,
                        const std::vector<int64_t>& lengths) {
  if (!std::ranges::equal(row.scores, lengths, {}, &Score::length))
    return "has other test lengths than row 1";
  for (const Score& score : row.scores) {
    if (!can_be(score, task)) return fmt::format("has the score {} at length {}", score.value, score.length);
  }
  if (!row.by_position.empty()) return bins_problem(row.by_position, trained, lengths);
  const bool has_value = !std::ranges::all_of(
      row.scores, [](double v) { return std::isnan(v); }, &Score::value);
  return has_value ? "has no losses by position" : "";
}

std::string cost_problem(const Cell& cell) {
  if (cell.parameters < 0 || cell.step_bytes < 0) return "a cost is negative";
  const bool measured = cell.step_seconds >= kLeastStepSeconds && cell.step_seconds <= kMostStepSeconds;
  return measured ? "" : fmt::format("a step takes {} seconds", cell.step_seconds);
}

// Why a cell is not the expected one; empty if it is.
std::string problem_of(const Study& study, const CellName& name, const Cell& cell) {
  if (cell.name.text() != name.text()) return fmt::format("got the cell {}", quote(cell.name.text()));
  const std::vector<Extension> extensions = scheme_choice(name.scheme).extensions();
  if (cell.rows.size() != extensions.size() + 1) {
    return fmt::format("got {} rows, expected {}", cell.rows.size(), extensions.size() + 1);
  }
  std::vector<int64_t> lengths;
  for (const Score& score : cell.rows.front().scores) lengths.push_back(score.length);
  if (const std::string problem = length_problem(study.conditions, lengths); !problem.empty()) return problem;
  const Task& task = study.task_named(name.task);
  for (size_t i = 0; i < cell.rows.size(); ++i) {
    const Row& row = cell.rows[i];
    if (row.variant != (i == 0 ? "" : extensions[i - 1].name)) {
      return fmt::format("row {} has the variant {}", i + 1, quote(row.variant));
    }
    const std::string problem = row_problem(row, task, study.conditions.length, lengths);
    if (!problem.empty()) return fmt::format("row {} {}", i + 1, problem);
  }
  return cost_problem(cell);
}

}  // namespace

void check_cell(const Study& study, const CellName& name, const Cell& cell,
                const std::filesystem::path& file) {
  const std::string problem = problem_of(study, name, cell);
  if (problem.empty()) return;
  fail({Fault::data, Code::damaged_file, "remove the file to run the cell again"},
       "wrong cell in {}: {}; expected {} of this study", file.string(), problem, name.text());
}

}  // namespace locus::study
