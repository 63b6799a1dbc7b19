#include "locus/cli/eval_output.h"

#include <fmt/format.h>

#include <cmath>

#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string digits(double value) { return fmt::format("{:.4f}", value); }

std::string band(int64_t least, int64_t most) {
  return least == most ? fmt::format("{}", most) : fmt::format("{}-{}", least, most);
}

Rows length_rows(const LengthEvaluation& evaluation) {
  const bool bits = evaluation.lengths.front().bits_per_byte || evaluation.lengths.back().bits_per_byte;
  Rows rows = {{"length", "windows", "targets", "loss", "perplexity", "accuracy", "loss in 2nd half"}};
  if (bits) rows.front().emplace_back("bits per byte");
  for (const LengthScore& score : evaluation.lengths) {
    if (!score.problem.empty()) continue;
    rows.push_back({fmt::format("{}", score.length), fmt::format("{}", score.windows),
                    fmt::format("{}", score.targets), digits(score.loss), digits(std::exp(score.loss)),
                    digits(score.accuracy), score.late_loss ? digits(*score.late_loss) : "-"});
    if (score.bits_per_byte) rows.back().push_back(digits(*score.bits_per_byte));
  }
  return rows;
}

}  // namespace

std::string as_text(const Evaluation& evaluation, std::string_view file) {
  std::string text =
      fmt::format("'{}': {} samples, {} targets\n\n", file, evaluation.samples, evaluation.targets);
  Rows rows;
  for (const auto& [name, value] : evaluation.numbers) rows.push_back({name, digits(value)});
  text += table(rows, terminal_width());
  if (evaluation.by_length.empty()) return text;
  rows = {{"length", "targets"}};
  for (const auto& [name, value] : evaluation.by_length.front().numbers) rows.front().push_back(name);
  for (const Evaluation::Band& one : evaluation.by_length) {
    rows.push_back({band(one.least, one.most), fmt::format("{}", one.targets)});
    for (const auto& [name, value] : one.numbers) rows.back().push_back(digits(value));
  }
  return text + "\n" + table(rows, terminal_width());
}

std::string as_text(const LengthEvaluation& evaluation, std::string_view file) {
  std::string text = fmt::format("'{}': {} tokens, {} bytes\n\n", file, evaluation.tokens, evaluation.bytes);
  text += table(length_rows(evaluation), terminal_width());
  for (const LengthScore& score : evaluation.lengths) {
    if (!score.problem.empty()) text += fmt::format("{}: not evaluated: {}\n", score.length, score.problem);
  }
  Rows rows = {{"position", "targets", "loss"}};
  for (const PositionLoss& one : evaluation.positions) {
    rows.push_back({band(one.least, one.most), fmt::format("{}", one.targets), digits(one.loss)});
  }
  text += fmt::format("\nloss by position in a window of {} tokens\n\n", evaluation.longest());
  return text + table(rows, terminal_width());
}

std::string as_text(const std::vector<NamedEvaluation>& evaluations) {
  Rows rows = {{"model", "length", "loss", "perplexity", "loss in 2nd half"}};
  for (const auto& [name, evaluation] : evaluations) {
    for (const LengthScore& score : evaluation.lengths) {
      rows.push_back({name, fmt::format("{}", score.length)});
      if (score.problem.empty()) {
        rows.back().insert(rows.back().end(), {digits(score.loss), digits(std::exp(score.loss)),
                                               score.late_loss ? digits(*score.late_loss) : "-"});
      } else {
        rows.back().insert(rows.back().end(), {"-", "-", score.problem});
      }
    }
  }
  return table(rows, terminal_width());
}

json::Members members_of(const Evaluation& evaluation) {
  json::Members members = {{"samples", json::number(evaluation.samples)},
                           {"targets", json::number(evaluation.targets)}};
  for (const auto& [name, value] : evaluation.numbers) members.emplace_back(name, json::number(value));
  std::vector<std::string> bands;
  for (const Evaluation::Band& one : evaluation.by_length) {
    json::Members inner = {{"least", json::number(one.least)},
                           {"most", json::number(one.most)},
                           {"targets", json::number(one.targets)}};
    for (const auto& [name, value] : one.numbers) inner.emplace_back(name, json::number(value));
    bands.push_back(json::object(inner));
  }
  members.emplace_back("by_length", json::list(bands));
  return members;
}

json::Members members_of(const LengthEvaluation& evaluation) {
  std::vector<std::string> lengths, positions;
  for (const LengthScore& score : evaluation.lengths) {
    json::Members row = {{"length", json::number(score.length)}};
    if (!score.problem.empty()) {
      row.emplace_back("error", json::text(score.problem));
    } else {
      row.insert(row.end(), {{"windows", json::number(score.windows)},
                             {"targets", json::number(score.targets)},
                             {"loss", json::number(score.loss)},
                             {"perplexity", json::number(std::exp(score.loss))},
                             {"accuracy", json::number(score.accuracy)}});
      if (score.late_loss) row.emplace_back("late_loss", json::number(*score.late_loss));
      if (score.bits_per_byte) row.emplace_back("bits_per_byte", json::number(*score.bits_per_byte));
    }
    lengths.push_back(json::object(row));
  }
  for (const PositionLoss& one : evaluation.positions) {
    positions.push_back(json::object({{"least", json::number(one.least)},
                                      {"most", json::number(one.most)},
                                      {"targets", json::number(one.targets)},
                                      {"loss", json::number(one.loss)}}));
  }
  return {{"tokens", json::number(evaluation.tokens)},
          {"bytes", json::number(evaluation.bytes)},
          {"lengths", json::list(lengths)},
          {"by_position", json::list(positions)}};
}

}  // namespace locus::cli
