#include "locus/checkpoint/forward_loss.h"

#include "locus/op/cross_entropy.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"
#include "locus/op/matmul.h"

namespace locus {
namespace {

constexpr int32_t kIgnored = kernel::kIgnoredTarget;

void check_labels(const Tensor& labels, const Shape& shape, int64_t classes) {
  require(labels.shape() == shape && labels.dtype() == DType::i32, Code::bad_shape,
          "labels have shape {}, expected whole numbers of shape {}", labels.shape(), shape);
  const auto values = labels.data<int32_t>();
  const int64_t columns = shape.cols();
  for (int64_t i = 0; i < labels.numel(); ++i) {
    require(values[i] == kIgnored || (values[i] >= 0 && values[i] < classes),
            "labels[{}, {}] is {}, expected 0 to {}, or {} to ignore it", i / columns, i % columns, values[i],
            classes - 1, kIgnored);
  }
}

// 1 for real tokens of the rectangle, 0 for padding.
Tensor real_cells(const Placement& placement) {
  return placement.unpack(Tensor::full({placement.queries()}, 1, DType::i32));
}

// The label of every packed token, from its own column or from the next one.
Tensor targets_of(const Tensor& labels, const Placement& placement, bool next) {
  const Tensor targets = Tensor::full(labels.shape(), kIgnored, DType::i32), real = real_cells(placement);
  const int64_t columns = labels.size(1);
  const auto from = labels.data<int32_t>(), to = targets.data<int32_t>(), is_real = real.data<int32_t>();
  for (int64_t i = 0; i < labels.numel(); ++i) {
    const int64_t source = next ? i + 1 : i;
    if (next && source % columns == 0) continue;
    to[i] = from[source];
    require(is_real[i] != 0 || to[i] == kIgnored,
            "labels[{}, {}] is {}, expected {}: the token that would predict it is padding", source / columns,
            source % columns, from[source], kIgnored);
  }
  return placement.pack(targets);
}

Var squared_error(const Var& logits, const Tensor& labels) {
  require(labels.shape() == Shape{logits.shape()[0]} || labels.shape() == logits.shape(), Code::bad_shape,
          "labels have shape {}, expected [{}]", labels.shape(), logits.shape()[0]);
  const Tensor wanted = Tensor::of(logits.shape(), labels.values()).on(logits.value().device());
  const Var difference = op::add(logits, op::scale(Var(wanted), -1));
  return op::mean(op::multiply(difference, difference));
}

// The index of a column among the real tokens of its row; -1: past the end of the row, and ignored.
int32_t place_of(std::string_view name, const Tensor& real, const Tensor& positions, int64_t row) {
  const int64_t columns = real.size(1), column = positions.data<int32_t>()[row];
  require(column >= 0, "{}[{}] is {}, expected 0 or more", name, row, column);
  if (column >= columns) return -1;
  const auto cells = real.data<int32_t>().subspan(row * columns, columns);
  require(cells[column] != 0, "{}[{}] is {}, which is padding, expected a real token", name, row, column);
  return static_cast<int32_t>(std::count(cells.begin(), cells.begin() + column, 1));
}

// Half the mean loss over the rows with a valid position; `side` 0 is the start, 1 the end.
Var end_loss(const Var& logits, const Placement& placement, const Tensor& positions, int64_t side) {
  const std::string_view name = side == 0 ? "start_positions" : "end_positions";
  require(positions && positions.shape() == Shape{placement.count()} && positions.dtype() == DType::i32,
          Code::bad_shape, "{} have shape {}, expected whole numbers of shape [{}]", name, positions.shape(),
          placement.count());
  const Tensor real = real_cells(placement);
  const auto starts = placement.sequences().query_starts.values();
  const Tensor one = side == 0 ? Tensor::of({1, 2}, {1.0f, 0.0f}) : Tensor::of({1, 2}, {0.0f, 1.0f});
  const Var pick(one.on(logits.value().device()));
  Var total;
  int count = 0;
  for (int64_t row = 0; row < placement.count(); ++row) {
    const int32_t target = place_of(name, real, positions, row);
    if (target < 0) continue;
    const Var scores = op::matmul(pick, op::rows(logits, starts[row], starts[row + 1]), false, true);
    const Var loss = op::cross_entropy(scores, Tensor::of({1}, {target}));
    total = total ? op::add(total, loss) : loss;
    ++count;
  }
  require(count > 0, "{}: all positions are past the end of their row, expected at least one inside", name);
  return op::scale(total, 0.5f / static_cast<float>(count));
}

}  // namespace

Var forward_loss(const Blueprint& b, const ForwardInputs& in, const Var& logits, const Placement& placement) {
  if (b.head.kind == HeadKind::answer) {
    if (!in.start_positions && !in.end_positions) return {};
    return op::add(end_loss(logits, placement, in.start_positions, 0),
                   end_loss(logits, placement, in.end_positions, 1));
  }
  if (!in.labels) return {};
  require(b.head.kind != HeadKind::none, Code::wrong_head, "labels are given, but the model has no head");
  if (b.head.kind == HeadKind::sequence_class) {
    if (b.head.labels == 1) return squared_error(logits, in.labels);
    check_labels(in.labels, {placement.count()}, b.head.labels);
    return op::cross_entropy(logits, in.labels);
  }
  const Tensor real = real_cells(placement);
  check_labels(in.labels, real.shape(), b.head.kind == HeadKind::token_class ? b.head.labels : b.vocabulary);
  return op::cross_entropy(
      logits,
      targets_of(in.labels, placement, b.kind == ModelKind::decoder && b.head.kind == HeadKind::next_token));
}

}  // namespace locus
