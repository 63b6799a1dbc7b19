// A cell as a JSON file, and back.
#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/json_part.h"
#include "locus/base/quote.h"
#include "locus/study/study.h"

namespace locus::study {
namespace {

constexpr const char* kRemove = "remove the file to run the cell again";

std::string row_json(const Row& row) {
  std::vector<std::string> scores;
  for (const Score& score : row.scores) {
    json::Members members = {{"length", json::number(score.length)}, {"value", json::exact(score.value)}};
    if (!score.why.empty()) members.emplace_back("why", json::text(score.why));
    scores.push_back(json::object(members));
  }
  std::vector<std::string> bins;
  for (const PositionLoss& bin : row.by_position) bins.push_back(position_json(bin));
  return json::object({{"variant", json::text(row.variant)},
                       {"scores", json::list(scores)},
                       {"by_position", json::list(bins)}});
}

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();

int64_t integer(const JsonPart& part, const char* name) { return part.integer(name, kLeast, kMost); }

// JSON has no NaN and no infinity. They are written as null, whose meaning depends on the member.
double number(const JsonPart& part, const char* name, double if_null) {
  return part.member(name).is_null() ? if_null : part.number(name);
}

Row read_row(const JsonPart& part) {
  using Limits = std::numeric_limits<double>;
  Row row{part.text("variant"), {}, {}};
  for (const JsonPart& one : part.parts("scores")) {
    Score score{
        .length = integer(one, "length"), .value = 0, .why = one.exists("why") ? one.text("why") : ""};
    // With a reason there is no value; without one the perplexity is infinite.
    score.value = number(one, "value", score.why.empty() ? Limits::infinity() : Limits::quiet_NaN());
    row.scores.push_back(std::move(score));
  }
  if (!part.exists("by_position")) return row;  // problem_of reports it
  for (const JsonPart& bin : part.parts("by_position")) {
    row.by_position.push_back(
        {integer(bin, "begin"), integer(bin, "end"), number(bin, "loss", Limits::quiet_NaN())});
  }
  return row;
}

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
  for (size_t i = 0; i < cell.rows.size(); ++i) {
    const Row& row = cell.rows[i];
    if (row.variant != (i == 0 ? "" : extensions[i - 1].name)) {
      return fmt::format("row {} has the variant {}", i + 1, quote(row.variant));
    }
    if (!std::ranges::equal(row.scores, lengths, {}, &Score::length)) {
      return fmt::format("row {} has other test lengths than row 1", i + 1);
    }
    const bool has_value =
        std::ranges::any_of(row.scores, [](const Score& s) { return !std::isnan(s.value); });
    if (has_value && row.by_position.empty()) return fmt::format("row {} has no losses by position", i + 1);
    for (const Score& score : row.scores) {
      if (!can_be(score, study.task_named(name.task))) {
        return fmt::format("the score at length {} is {}", score.length, score.value);
      }
    }
  }
  const bool costs = cell.parameters >= 0 && cell.step_bytes >= 0 && cell.step_seconds >= 0;
  return costs ? "" : "a cost is negative";
}

}  // namespace

std::string position_json(const PositionLoss& bin) {
  return json::object(
      {{"begin", json::number(bin.begin)}, {"end", json::number(bin.end)}, {"loss", json::exact(bin.loss)}});
}

void check_cell(const Study& study, const CellName& name, const Cell& cell,
                const std::filesystem::path& file) {
  const std::string problem = problem_of(study, name, cell);
  if (problem.empty()) return;
  fail({Fault::data, Code::damaged_file, kRemove}, "wrong cell in {}: {}; expected {} of this study",
       file.string(), problem, name.text());
}

std::string cell_json(const Cell& cell) {
  std::vector<std::string> rows;
  for (const Row& row : cell.rows) rows.push_back(row_json(row));
  return json::lines({{"task", json::text(cell.name.task)},
                      {"scheme", json::text(cell.name.scheme)},
                      {"seed", json::number(static_cast<int64_t>(cell.name.seed))},
                      {"rows", json::list(rows)},
                      {"training_loss", json::exact(cell.loss)},
                      {"scheme_parameters", json::number(cell.parameters)},
                      {"step_seconds", json::exact(cell.step_seconds)},
                      {"step_bytes", json::number(cell.step_bytes)}});
}

Cell read_cell(const std::filesystem::path& file) {
  constexpr uint64_t kMostBytes = 1 << 22;  // far larger than any cell
  try {
    const json::Document document(file, {.bytes = kMostBytes});
    const JsonPart all(document, "cell");
    Cell cell;
    cell.name = {all.text("task"), all.text("scheme"), static_cast<uint64_t>(integer(all, "seed"))};
    for (const JsonPart& row : all.parts("rows")) cell.rows.push_back(read_row(row));
    cell.loss = all.number("training_loss");
    cell.parameters = integer(all, "scheme_parameters");
    cell.step_seconds = all.number("step_seconds");
    cell.step_bytes = integer(all, "step_bytes");
    return cell;
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    fail({Fault::data, Code::damaged_file, kRemove}, "not a cell of a study: {}", error.what());
  }
}

}  // namespace locus::study
