#include "locus/report/model_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "locus/report/scheme_figures.h"

namespace locus::report {
namespace {

constexpr int64_t kMostPositions = 4096;  // more cannot be distinguished in a figure

std::string_view part_of(const NamedParameter& parameter) {
  const auto has = [&](std::string_view word) { return parameter.name.find(word) != std::string::npos; };
  switch (parameter.owner) {
    case Owner::tokens:
      return "tokens";
    case Owner::scheme:
    case Owner::global_scheme:
      return "positions";
    case Owner::head:
    case Owner::labels:
      return has(".pooler.") ? "pooler" : "head";
    case Owner::body:
      break;
  }
  if (has(".embedding.")) return "other embeddings";
  if (has("_norm.") || has(".norm.")) return "norms";
  if (has(".across.")) return "cross-attention";
  return has(".attention.") ? "attention" : "feed-forward";
}

// The norms of the position vectors.
Figure row_norms(const Probe& probe, int64_t length, int64_t offset) {
  std::vector<int32_t> positions;
  for (int64_t p = 0; p < length; ++p) positions.push_back(static_cast<int32_t>(p));
  const std::vector<double> rows = probe.input_rows(positions);
  const size_t width = rows.size() / positions.size();
  Series series{.name = ""};
  for (size_t p = 0; p < positions.size(); ++p) {
    double squares = 0;
    for (size_t n = 0; n < width; ++n) squares += rows[p * width + n] * rows[p * width + n];
    series.x.push_back(positions[p]);
    series.y.push_back(std::sqrt(squares));
  }
  const std::pair<double, double> range = finite_range(series.y);
  std::string caption =
      "The Euclidean norm of every position vector. Vectors that training rarely used stay close to their "
      "initial "
      "norm.";
  if (offset > 0) caption += fmt::format(" The first token of a text has position {}.", offset);
  return {.name = "row_norms",
          .title = "Norms of the position vectors",
          .caption = std::move(caption),
          .charts = {
              {.x_label = "position", .y_label = "norm", .series = {std::move(series)}, .y_range = range}}};
}

// Positions per full turn of a pair, from its angle at position 1.
Figure wavelengths(const Probe& probe, int64_t longest) {
  constexpr int32_t kOne[] = {1};
  const RotationTerm term = *probe.find(kOne, kOne).pass.rotation();
  const int32_t row = term.query_rows.values()[0];
  const Tensor cos = term.cos.on_host(), sin = term.sin.on_host();
  const int64_t pairs = cos.size(1);
  Series turn{.name = "one turn"}, input{.name = "max_length"};
  for (int64_t n = 0; n < pairs; ++n) {
    const double angle = std::atan2(sin.view().row<float>(row)[n], cos.view().row<float>(row)[n]);
    turn.x.push_back(static_cast<double>(n));
    turn.y.push_back(2 * std::numbers::pi / angle);
    input.x.push_back(static_cast<double>(n));
    input.y.push_back(static_cast<double>(longest));
  }
  return {.name = "wavelengths",
          .title = "Wavelengths of the rotation",
          .caption = fmt::format(
              "Positions that each of the {} pairs of a head needs for one full turn. Pairs above max_length "
              "never complete a turn.",
              pairs),
          .charts = {{.x_label = "pair",
                      .y_label = "positions",
                      .series = {std::move(turn), std::move(input)},
                      .log_y = true}}};
}

std::vector<Figure> probe_figures(const Probe& probe, const Blueprint& b) {
  const int64_t length = std::min(b.max_length + b.position_offset, kMostPositions);
  std::vector<Figure> figures = scheme_figures(probe, length);
  const std::vector<std::string_view> kinds = probe.kinds();
  if (std::ranges::count(kinds, "input") > 0 && probe.parameters() > 0) {
    figures.push_back(row_norms(probe, length, b.position_offset));
  }
  if (std::ranges::count(kinds, "rotation") > 0) figures.push_back(wavelengths(probe, b.max_length));
  return figures;
}

void rename(std::vector<Figure>& figures, std::string_view name, std::string_view title) {
  for (Figure& figure : figures) {
    figure.name = fmt::format("{}_{}", name, figure.name);
    figure.title = fmt::format("{}, {}", figure.title, title);
  }
}

// Also of the global-attention layers, if they have their own scheme and it does something.
std::vector<Figure> stack_figures(const Model& model, Probe::Part part) {
  const Blueprint& b = model.blueprint();
  std::vector<Figure> figures = probe_figures(Probe(model, part), b);
  if (b.global.scheme.empty()) return figures;
  const Probe probe(model, part, Probe::Layers::global);
  if (probe.kinds().empty()) return figures;
  std::vector<Figure> global = probe_figures(probe, b);
  rename(global, "global",
         b.attention.window > 0 ? "global-attention layers" : fmt::format("every {} layers", b.global.every));
  std::ranges::move(global, std::back_inserter(figures));
  return figures;
}

}  // namespace

std::vector<std::pair<std::string, int64_t>> parts_of(const Model& model) {
  std::vector<std::pair<std::string, int64_t>> parts;
  for (const NamedParameter& parameter : model.parameters().all()) {
    const std::string part(part_of(parameter));
    auto found = std::ranges::find(parts, part, &std::pair<std::string, int64_t>::first);
    if (found == parts.end()) found = parts.insert(parts.end(), {part, 0});
    found->second += parameter.var.value().numel();
  }
  return parts;
}

std::string past_max_length(const Blueprint& b) {
  return scheme_info(b.scheme).extrapolates
             ? "computed: the scheme is defined there, but training may not have reached it"
             : "refused: the table has no rows for such positions";
}

std::vector<Figure> model_figures(const Model& model) {
  const ModelKind kind = model.blueprint().kind;
  if (kind == ModelKind::encoder) return stack_figures(model, Probe::Part::encoder);
  if (kind == ModelKind::decoder) return stack_figures(model, Probe::Part::decoder);
  std::vector<Figure> figures;
  for (const auto& [part, name] :
       {std::pair(Probe::Part::encoder, "encoder"), std::pair(Probe::Part::decoder, "decoder")}) {
    std::vector<Figure> of_part = stack_figures(model, part);
    rename(of_part, name, name);
    std::ranges::move(of_part, std::back_inserter(figures));
  }
  return figures;
}

}  // namespace locus::report
