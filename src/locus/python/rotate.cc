// rotate: the rotation kernel on memory of the caller, for locus.torch.
#include "locus/kernel/kernels.h"
#include "locus/python/bindings.h"
#include "locus/python/caller_memory.h"
#include "locus/python/computing.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

// x and out [N, H, D], cos and sin [R, width / 2], rows i32 [N]. Backward turns a gradient of the result
// back.
void rotate(const Array& x, const Array& cos, const Array& sin, const Array& rows, bool interleaved,
            bool backward, const Output& out) {
  CallerMemory memory("rotate");
  const Shape shape = shape_of_array(x, "rotate: x");
  require(shape.rank() == 3, Code::bad_shape, "rotate: x has shape {}, expected [tokens, heads, head size]",
          shape);
  memory.shaped(out, "out", shape);
  const ConstView from = memory.numbers(x, "x"), cosines = memory.numbers(cos, "cos"),
                  sines = memory.numbers(sin, "sin");
  require(cos.ndim() == 2 && 2 * cosines.cols <= shape[2], Code::bad_shape,
          "rotate: cos has shape {}, expected [rows, at most {}] (half of the head size)",
          shape_of_array(cos, "rotate: cos"), shape[2] / 2);
  memory.shaped(sin, "sin", shape_of_array(cos, "rotate: cos"));
  memory.shaped(rows, "rows", {shape[0]});
  const std::vector<int32_t> ids = memory.integers(rows, "rows");
  memory.ids(ids, "rows", cosines.rows, Code::bad_position);
  const View to = memory.output(out, "out");
  if (shape.numel() == 0) return;
  kernels(memory.device())
      .rotate({.x = from,
               .y = to,
               .cos = cosines,
               .sin = sines,
               .rows = id_view(ids),
               .heads = shape[1],
               .head_size = shape[2],
               .width = 2 * cosines.cols,
               .interleaved = interleaved,
               .backward = backward});
}

}  // namespace

void bind_rotate(nb::module_& module) {
  using namespace nb::literals;
  module.def("rotate", rotate, kCounted, "x"_a, "cos"_a, "sin"_a, "rows"_a, "interleaved"_a, "backward"_a,
             "out"_a, nb::call_guard<WithoutGil>());
}

}  // namespace locus::python
