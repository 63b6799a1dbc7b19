// A cell as a JSON file, and back.
#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
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

// Members of an object of the file, which must exist.
class Fields {
 public:
  Fields(const json::Document& document, json::Value value)
      : document_(document), object_(object_of(value)) {}

  json::Value value(const char* name) const {
    const auto found = object_.find(name);
    require(found.has_value(), "{}: '{}' is missing", document_.where(), name);
    return *found;
  }
  std::string text(const char* name) const { return std::string(get(name, &json::Value::text, "a string")); }
  int64_t integer(const char* name) const { return get(name, &json::Value::integer, "an integer"); }
  // JSON has no NaN or infinity: null stands for `null`.
  double number(const char* name, std::optional<double> null = {}) const {
    if (null && value(name).is_null()) return *null;
    return get(name, &json::Value::number, "a number");
  }
  std::vector<Fields> list(const char* name) const {
    std::vector<Fields> items;
    for (const json::Value item : get(name, &json::Value::list, "a list")) items.push_back({document_, item});
    return items;
  }
  bool has(const char* name) const { return object_.find(name).has_value(); }

 private:
  json::Object object_of(json::Value value) const {
    const auto object = value.object();
    if (!object) document_.refuse("a value", value, "an object");
    return *object;
  }
  template <class T>
  T get(const char* name, std::optional<T> (json::Value::*getter)() const, const char* expected) const {
    const auto found = (value(name).*getter)();
    if (!found) document_.refuse(fmt::format("'{}'", name), value(name), expected);
    return *found;
  }

  const json::Document& document_;
  json::Object object_;
};

Row read_row(const Fields& fields) {
  using Limits = std::numeric_limits<double>;
  Row row{fields.text("variant"), {}, {}};
  for (const Fields& one : fields.list("scores")) {
    Score score{.length = one.integer("length"), .value = 0, .why = one.has("why") ? one.text("why") : ""};
    // null with a reason is no value, null without one an infinite perplexity.
    score.value = one.number("value", score.why.empty() ? Limits::infinity() : Limits::quiet_NaN());
    row.scores.push_back(std::move(score));
  }
  if (!fields.has("by_position")) return row;  // problem_of reports it
  for (const Fields& bin : fields.list("by_position")) {
    row.by_position.push_back(
        {bin.integer("begin"), bin.integer("end"), bin.number("loss", Limits::quiet_NaN())});
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
  constexpr uint64_t kMost = 1 << 22;  // far larger than any cell
  try {
    const json::Document document(file, {.bytes = kMost});
    const Fields all(document, document.root());
    Cell cell;
    cell.name = {all.text("task"), all.text("scheme"), static_cast<uint64_t>(all.integer("seed"))};
    for (const Fields& row : all.list("rows")) cell.rows.push_back(read_row(row));
    cell.loss = all.number("training_loss");
    cell.parameters = all.integer("scheme_parameters");
    cell.step_seconds = all.number("step_seconds");
    cell.step_bytes = all.integer("step_bytes");
    return cell;
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    fail({Fault::data, Code::damaged_file, kRemove}, "not a cell of a study: {}", error.what());
  }
}

}  // namespace locus::study
