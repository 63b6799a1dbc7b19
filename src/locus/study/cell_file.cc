// A cell as a JSON file, and back.
#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/json_part.h"
#include "locus/study/study.h"

namespace locus::study {
namespace {

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
  if (!part.exists("by_position")) return row;  // check_cell reports it
  for (const JsonPart& bin : part.parts("by_position")) {
    row.by_position.push_back(
        {integer(bin, "begin"), integer(bin, "end"), number(bin, "loss", Limits::quiet_NaN())});
  }
  return row;
}

}  // namespace

std::string position_json(const PositionLoss& bin) {
  return json::object(
      {{"begin", json::number(bin.begin)}, {"end", json::number(bin.end)}, {"loss", json::exact(bin.loss)}});
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

Cell read_cell(const json::Document& document) {
  const JsonPart all(document, "cell");
  Cell cell;
  cell.name = {all.text("task"), all.text("scheme"), static_cast<uint64_t>(integer(all, "seed"))};
  for (const JsonPart& row : all.parts("rows")) cell.rows.push_back(read_row(row));
  cell.loss = all.number("training_loss");
  cell.parameters = integer(all, "scheme_parameters");
  cell.step_seconds = all.number("step_seconds");
  cell.step_bytes = integer(all, "step_bytes");
  return cell;
}

Cell read_cell(const std::filesystem::path& file) {
  constexpr uint64_t kMostBytes = 1 << 22;  // far larger than any cell
  try {
    return read_cell(json::Document(file, {.bytes = kMostBytes}));
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    fail({Fault::data, Code::damaged_file, "remove the file to run the cell again"},
         "not a cell of a study: {}", error.what());
  }
}

}  // namespace locus::study
