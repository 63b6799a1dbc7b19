#include "locus/op/mean_rows.h"

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"
#include "locus/op/column_sum.h"

namespace locus::op {
namespace {

void check_starts(const Check& check, const Indices& starts, int64_t N) {
  check.that(starts && starts.dtype() == DType::i32 && starts.numel() >= 1,
             "starts are missing or have the wrong dtype or shape, expected i32 [sequences + 1]");
  const auto values = starts.values();
  check.that(values.front() == 0 && values.back() == N,
             "starts go from {} to {}, expected 0 to {} (the number of rows)", values.front(), values.back(),
             N);
  for (size_t b = 0; b + 1 < values.size(); ++b) {
    check.that(values[b] < values[b + 1], "sequence {} is rows {} to {}, expected at least one row", b,
               values[b], values[b + 1]);
  }
}

}  // namespace

Var mean_rows(const Var& x, const Indices& starts) {
  Check check("mean_rows");
  check.floating("x", x);
  check.that(x.shape().rank() == 2, Code::bad_shape, "x has shape {}, expected [N, C]", x.shape());
  check_starts(check, starts, x.shape()[0]);
  const auto bounds = starts.values();
  const int64_t B = starts.numel() - 1;
  const Tensor out = check.result(x.value(), {B, x.shape()[1]});
  const Kernels& device = kernels(out.device());
  for (int64_t b = 0; b < B; ++b) {
    const Tensor sum = column_sum(x.value().rows(bounds[b], bounds[b + 1]));
    device.scale({.x = sum.view(),
                  .out = out.rows(b, b + 1).reshape(sum.shape()).view(),
                  .factor = 1 / static_cast<float>(bounds[b + 1] - bounds[b])});
  }
  return record(out, {x}, [=](const Tensor& dy) {
    const Tensor dx = x.value().like(x.shape()), parts = dy.like(dy.shape());
    const Kernels& there = kernels(dy.device());
    const auto ends = starts.values();
    std::vector<int32_t> sequences;  // of the rows of x
    for (int64_t b = 0; b < B; ++b) {
      const auto count = static_cast<size_t>(ends[b + 1] - ends[b]);
      there.scale({.x = dy.rows(b, b + 1).view(),
                   .out = parts.rows(b, b + 1).view(),
                   .factor = 1 / static_cast<float>(count)});
      sequences.insert(sequences.end(), count, static_cast<int32_t>(b));
    }
    const Indices rows = Indices::of(sequences);
    there.gather({.table = parts.view(), .ids = rows.view(dy.device()), .out = dx.view()});
    x.accumulate(dx);
  });
}

}  // namespace locus::op
