#include "locus/op/layout.h"

#include "locus/base/checked.h"
#include "locus/kernel/kernels.h"
#include "locus/op/check.h"

namespace locus::op {

Var reshape(const Var& x, Shape shape) {
  Check check("reshape");
  check.floating("x", x);
  check.that(shape.numel() == x.value().numel(), Code::bad_shape,
             "x has shape {} with {} elements, the new shape {} has {}", x.shape(), x.value().numel(), shape,
             shape.numel());
  const Tensor even = x.value().contiguous() ? x.value() : x.value().clone();
  return record(even.reshape(shape), {x}, [=](const Tensor& dy) {
    x.accumulate((dy.contiguous() ? dy : dy.clone()).reshape(x.shape()));
  });
}

std::vector<Var> split(const Var& x, const std::vector<int64_t>& widths) {
  Check check("split");
  check.rank_at_least("x", x, 1);
  int64_t total = 0;
  for (const int64_t width : widths) {
    check.that(width >= 0, Code::bad_shape, "a width is {}, expected 0 or more", width);
    total = checked_add(total, width, "split: sum of the widths");
  }
  check.that(total == x.shape().cols(), Code::bad_shape,
             "the sum of the widths is {}, expected {} (the last size of x)", total, x.shape().cols());
  std::vector<Tensor> parts;
  int64_t begin = 0;
  for (const int64_t width : widths) {
    parts.push_back(x.value().columns(begin, begin + width));
    begin += width;
  }
  return record(std::move(parts), {x}, [=](std::span<const Tensor> dy) {
    const Tensor dx = x.value().like(x.shape());
    int64_t at = 0;
    for (size_t i = 0; i < widths.size(); ++i) {
      Tensor part = dx.columns(at, at + widths[i]);
      if (dy[i]) {
        part.copy_from(dy[i]);
      } else {
        part.fill(0);
      }
      at += widths[i];
    }
    x.accumulate(dx);
  });
}

Var rows(const Var& x, int64_t begin, int64_t end) {
  Check check("rows");
  check.weight("x", x);
  check.that(x.shape().rank() >= 2, Code::bad_shape, "x has shape {}, expected rank 2 or more", x.shape());
  check.that(begin >= 0 && begin <= end && end <= x.shape()[0], Code::bad_shape,
             "x of shape {} has no rows {} to {}", x.shape(), begin, end);
  return record(x.value().rows(begin, end), {x}, [=](const Tensor& dy) {
    if (!x.wants_grad()) return;
    const Tensor part = x.open_grad().rows(begin, end);
    kernels(dy.device()).add({.a = part.view(), .b = dy.view(), .out = part.view()});
  });
}

Var join(const std::vector<Var>& parts) {
  Check check("join");
  check.that(!parts.empty(), "got 0 parts, expected at least 1");
  int64_t total = 0;
  for (const Var& part : parts) {
    check.rank_at_least("a part", part, 1);
    check.that(part.shape().with_last(1) == parts[0].shape().with_last(1), Code::bad_shape,
               "parts have shapes {} and {}, expected all sizes but the last to be equal", parts[0].shape(),
               part.shape());
    total = checked_add(total, part.shape().cols(), "join: sum of the last sizes");
  }
  std::vector<int64_t> sizes(parts[0].shape().sizes().begin(), parts[0].shape().sizes().end());
  sizes.back() = total;
  const Tensor whole = check.result(parts[0].value(), sizes);
  int64_t begin = 0;
  for (const Var& part : parts) {
    whole.columns(begin, begin + part.shape().cols()).copy_from(part.value());
    begin += part.shape().cols();
  }
  return record(whole, parts, [=](const Tensor& dy) {
    int64_t at = 0;
    for (const Var& part : parts) {
      part.accumulate(dy.columns(at, at + part.shape().cols()));
      at += part.shape().cols();
    }
  });
}

}  // namespace locus::op
