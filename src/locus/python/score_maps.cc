// score_maps: the bias of every head as a heat map, for locus.torch.Terms.
#include <nanobind/stl/string.h>

#include "locus/python/bindings.h"
#include "locus/python/caller_memory.h"
#include "locus/python/computing.h"
#include "locus/report/figure.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

// scores: f32 or f64 [H, L, L], contiguous. An SVG file.
std::string score_maps(const Array& scores, const std::string& title) {
  CallerMemory memory("score_maps");
  const Shape shape = shape_of_array(scores, "score_maps: scores");
  require(shape.rank() == 3 && shape[0] > 0 && shape[1] > 0 && shape[1] == shape[2], Code::bad_shape,
          "score_maps: scores have shape {}, expected [heads, length, length]", shape);
  const ConstView view = memory.numbers(scores, "scores");
  require(view.contiguous(), Code::bad_shape, "score_maps: scores have gaps, expected a contiguous array");
  const int64_t length = shape[1];
  std::vector<double> positions;
  for (int64_t i = 0; i < length; ++i) positions.push_back(static_cast<double>(i));
  report::Figure figure = {.name = "bias",
                           .title = title,
                           .caption = "",
                           .charts = {},
                           .bars = {},
                           .maps = {},
                           .colors = "added to the score"};
  for (int64_t h = 0; h < shape[0]; ++h) {
    std::vector<double> values;
    for (int64_t n = 0; n < length * length; ++n) {
      values.push_back(view.dtype == DType::f64 ? view.row<double>(h)[n]
                                                : static_cast<double>(view.row<float>(h)[n]));
    }
    figure.maps.push_back({.title = fmt::format("head {}", h),
                           .x_label = "key",
                           .y_label = "query",
                           .x = positions,
                           .y = positions,
                           .values = std::move(values)});
  }
  report::share_colors(figure.maps);
  return report::svg_file(report::draw(figure, 900));
}

}  // namespace

void bind_score_maps(nb::module_& module) {
  using namespace nb::literals;
  module.def("score_maps", score_maps, kCounted, "scores"_a, "title"_a, nb::call_guard<WithoutGil>());
}

}  // namespace locus::python
