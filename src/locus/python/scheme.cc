// Position schemes: their facts, their tables as arrays, and their pictures.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "locus/apply/text_model.h"
#include "locus/nn/model.h"
#include "locus/op/rotate.h"
#include "locus/python/array.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"
#include "locus/report/explanation.h"
#include "locus/report/scheme_figures.h"
#include "locus/report/scheme_page.h"
#include "locus/text/readable.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

// Tables of all distances of a text: 2 length - 1 columns for each head.
constexpr int64_t kMostLength = 1 << 15;

struct MadeScheme {
  report::Probe probe;
  std::string conditions;  // in words, for the page
};

void make(MadeScheme* self, const std::string& name, int64_t heads, int64_t head_size, int64_t max_length,
          bool causal, const OptionValues& options) {
  const auto within = [](const char* what, int64_t value, int64_t most) {
    require(value >= 1 && value <= most, "scheme: got {} {}, expected 1 to {}", what, value, most);
  };
  within("heads", heads, 1024);
  within("head_size", head_size, 1024);
  within("max_length", max_length, int64_t{1} << 24);
  const WithoutGil computing;
  const SchemeInfo& info = scheme_info(name);
  std::string conditions = fmt::format("{} head{} of {}", heads, heads == 1 ? "" : "s", head_size);
  if (causal) conditions += ", causal";
  for (const auto& [key, value] : options) conditions += fmt::format(", {}={}", key, value);
  const Geometry geometry = {.width = heads * head_size,
                             .heads = heads,
                             .head_size = head_size,
                             .max_length = max_length,
                             .causal = causal};
  new (self) MadeScheme{report::Probe(info, geometry, options), std::move(conditions)};
}

std::vector<int32_t> first_positions(int64_t length) {
  require(length >= 1 && length <= kMostLength, "length: got {}, expected 1 to {}", length, kMostLength);
  std::vector<int32_t> positions(static_cast<size_t>(length));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

// Rows of a table [R, C], in this order.
Tensor gathered(const Tensor& table, const Indices& rows) {
  const Tensor whole = table.contiguous() ? table : table.clone();
  const auto C = static_cast<size_t>(table.size(-1));
  Tensor out = Tensor::empty({rows.numel(), table.size(-1)});
  for (size_t i = 0; i < static_cast<size_t>(rows.numel()); ++i) {
    const auto row = static_cast<size_t>(rows.values()[i]);
    std::ranges::copy(whole.data<float>().subspan(row * C, C), out.data<float>().begin() + i * C);
  }
  return out;
}

// [H, 2 L - 1]: column d + L - 1 belongs to distance d. Distances without a column, such as those to later
// keys of a causal model, are 0.
Tensor by_distance(const DistanceTerm& term, int64_t length) {
  const Tensor& table = term.table.value();
  const int64_t H = table.size(0), S = table.size(1);
  Tensor out = Tensor::zeros({H, 2 * length - 1});
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t d = std::max(1 - length, -term.zero); d <= std::min(length - 1, S - 1 - term.zero); ++d) {
      out.data<float>()[h * (2 * length - 1) + d + length - 1] = table.view().row<float>(h)[d + term.zero];
    }
  }
  return out;
}

// [2 L - 1, H, D], or [2 L - 1, D] if all heads share the vectors.
Tensor by_slot(const SlotTerm& term, int64_t length, int64_t head_size) {
  const Tensor& table = term.table.value();
  const int64_t width = table.size(1), columns = 2 * length - 1;
  Tensor out = Tensor::zeros({columns, width});
  for (int64_t d = std::max(1 - length, -term.zero);
       d <= std::min(length - 1, term.slots.numel() - 1 - term.zero); ++d) {
    const float* row = table.view().row<float>(term.slots.values()[d + term.zero]);
    std::copy_n(row, width, out.view().row<float>(d + length - 1));
  }
  return width == head_size ? out : out.reshape({columns, width / head_size, head_size});
}

nb::dict terms(const MadeScheme& self, int64_t length) {
  const std::vector<int32_t> positions = first_positions(length);
  std::vector<std::pair<const char*, Tensor>> tables;
  std::optional<RotationTerm> rotation;
  bool joined = false;
  float scale = 0;
  {
    const WithoutGil computing;
    const auto found = self.probe.find(positions, positions);
    const int64_t D = self.probe.geometry().head_size;
    if (const auto& input = found.pass.input()) {
      tables.emplace_back("input", gathered(input->table.value(), input->rows));
      joined = input->joined;
    }
    rotation = found.pass.rotation();
    if (rotation) {
      tables.emplace_back("cos", gathered(rotation->cos, rotation->query_rows));
      tables.emplace_back("sin", gathered(rotation->sin, rotation->query_rows));
      if (rotation->key_cos) {
        tables.emplace_back("key_cos", gathered(rotation->key_cos, rotation->key_rows));
        tables.emplace_back("key_sin", gathered(rotation->key_sin, rotation->key_rows));
      }
    }
    const ScoreTerms& scores = found.scores;
    if (scores.by_distance) tables.emplace_back("by_distance", by_distance(*scores.by_distance, length));
    if (scores.by_query) tables.emplace_back("by_query", by_slot(*scores.by_query, length, D));
    if (scores.by_key) tables.emplace_back("by_key", by_slot(*scores.by_key, length, D));
    if (scores.dense) {
      tables.emplace_back("dense", scores.dense.value().reshape({scores.dense.shape()[0], length, length}));
    }
    scale = scores.scale.value_or(0);
  }
  nb::dict result;
  for (const auto& [name, table] : tables) result[name] = array_of(table);
  if (result.contains("input")) result["joined"] = joined;
  if (rotation) {
    result["rotated"] = rotation->width;
    result["interleaved"] = rotation->interleaved;
  }
  if (scale > 0) result["scale"] = scale;
  return result;
}

// [H, L, L]: the scores of one and the same vector at every position.
nb::object scores(const MadeScheme& self, int64_t length) {
  const std::vector<int32_t> positions = first_positions(length);
  Tensor result;
  {
    const WithoutGil computing;
    const std::vector<double> found = self.probe.scores(positions, positions);
    result = Tensor::of({self.probe.geometry().heads, length, length},
                        std::vector<float>(found.begin(), found.end()));
  }
  return array_of(result);
}

nb::str page(const MadeScheme& self, int64_t length) {
  first_positions(std::max<int64_t>(length, 2));
  std::string html;
  {
    const WithoutGil computing;
    html = report::scheme_page(self.probe, report::scheme_figures(self.probe, std::max<int64_t>(length, 2)),
                               fmt::format("{}, length {}", self.conditions, length));
  }
  return python_text(html);
}

// x [N, H * D] rotated by the angles of these positions.
nb::object rotate(const MadeScheme& self, const Array& x, const Array& positions) {
  const std::vector<int32_t> places = integers_of(positions, "positions");
  const Tensor given = tensor_of(x, "x");
  const int64_t D = self.probe.geometry().head_size;
  require(given.shape().rank() == 2 && given.size(1) % D == 0 && given.size(0) == std::ssize(places),
          Code::bad_shape, "rotate: got x of shape {} and {} positions, expected [positions, heads * {}]",
          given.shape(), places.size(), D);
  Tensor out;
  {
    const WithoutGil computing;
    const auto found = self.probe.find(places, places);
    if (!found.pass.rotation())
      fail(Fault::usage, "rotate: scheme {} rotates nothing", self.probe.info().name);
    out = given.clone();
    op::rotate_in_place(out, *found.pass.rotation(), given.size(1) / D, false);
  }
  return array_of(out);
}

nb::dict facts(const SchemeInfo& info) {
  constexpr Geometry kModel = {.width = 512, .heads = 8, .head_size = 64, .layers = 6, .max_length = 512};
  const report::Probe probe(info, kModel, {});
  nb::dict found;
  const auto set = [&](const char* name, std::string_view text) { found[name] = python_text(text); };
  set("name", info.name);
  set("summary", info.summary);
  set("aliases", info.aliases);
  set("formula", info.formula);
  set("paper", info.paper);
  set("models", info.models);
  set("cost", info.cost);
  nb::list acts_on;
  for (const std::string_view kind : probe.kinds()) acts_on.append(python_text(kind));
  found["acts_on"] = acts_on;
  found["relative"] = info.relative;
  found["extrapolates"] = info.extrapolates;
  found["parameters"] = probe.parameters();
  nb::dict options;
  for (const OptionSpec& spec : info.options.list()) {
    nb::dict option;
    option["default"] = python_text(spec.preset);
    option["expected"] = python_text(expected(spec));
    option["help"] = python_text(spec.help);
    options[python_text(spec.name)] = option;
  }
  found["options"] = options;
  return found;
}

// (verdict, sentences, cosines after every layer, page)
nb::tuple explain(nb::handle sentence, nb::handle word, const std::string& scheme, nb::handle folder,
                  bool causal) {
  const std::string text = text_of(sentence, "sentence"), given = text_of(word, "word");
  const std::filesystem::path path = folder.is_none() ? std::filesystem::path() : path_of(folder);
  report::Explanation found;
  std::string html;
  {
    const WithoutGil computing;
    const std::string chosen = report::word_to_explain(text, given);
    found = path.empty() ? report::explain_untrained(text, chosen, scheme, causal)
                         : report::explain_trained(TextModel(path), text, chosen);
    html = report::explanation_page(found);
  }
  return nb::make_tuple(python_text(report::verdict(found.word)), python_texts(report::sentences(found.word)),
                        nb::cast(found.word.states), python_text(html));
}

}  // namespace

void bind_scheme(nb::module_& module) {
  nb::class_<MadeScheme>(module, "Scheme")
      .def("__init__", make, kCounted, "name"_a, "heads"_a, "head_size"_a, "max_length"_a, "causal"_a,
           "options"_a)
      .def("terms", terms, kCounted, "length"_a)
      .def("scores", scores, kCounted, "length"_a)
      .def("page", page, kCounted, "length"_a)
      .def("rotate", rotate, kCounted, "x"_a, "positions"_a)
      .def_prop_ro("parameters", [](const MadeScheme& self) { return self.probe.parameters(); })
      .def_prop_ro(
          "info", [](const MadeScheme& self) { return facts(self.probe.info()); }, kCounted);
  module.def(
      "schemes",
      [] {
        nb::list all;
        for (const SchemeInfo* info : schemes()) all.append(facts(*info));
        return all;
      },
      kCounted);
  module.def("explain", explain, kCounted, "sentence"_a, "word"_a, "scheme"_a, "folder"_a.none(), "causal"_a);
}

}  // namespace locus::python
