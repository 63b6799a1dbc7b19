#include "locus/op/rotate.h"

#include "locus/kernel/kernels.h"
#include "locus/op/check.h"

namespace locus::op {
namespace {

// The part of a RotationTerm for queries or for keys.
struct Rotation {
  Tensor cos, sin;
  Indices rows;
  int64_t heads, width;
  bool interleaved;

  // Tables are f32 for any x; with an f64 x they may also be f64.
  void check_table(const Check& check, const char* name, const Tensor& table, const Tensor& x) const {
    check.that(static_cast<bool>(table), "{} is missing", name);
    check.that(table.dtype() == DType::f32 || (table.dtype() == DType::f64 && x.dtype() == DType::f64),
               Code::bad_shape, "{} is {}, expected f32", name, name_of(table.dtype()));
    check.that(table.shape().rank() == 2 && table.size(1) == width / 2, Code::bad_shape,
               "{} has shape {}, expected [rows, {}] (half of the width {})", name, table.shape(), width / 2,
               width);
    check.that(table.device() == x.device() || (on_host(table.device()) && on_host(x.device())),
               Code::bad_shape, "{} is on the {}, expected the {} like x", name, name_of(table.device()),
               name_of(x.device()));
  }

  void check(Check check, const char* name, const Var& x) const {
    check.floating(name, x);
    const Shape& shape = x.shape();
    check.that(shape.rank() == 2 && heads > 0 && shape[1] % heads == 0, Code::bad_shape,
               "{} has shape {}, expected [tokens, heads * head size] with {} heads", name, shape, heads);
    const int64_t head_size = shape[1] / heads;
    check.that(width >= 0 && width <= head_size && width % 2 == 0, Code::bad_shape,
               "rotated width is {}, expected an even number up to the head size {}", width, head_size);
    check_table(check, "cos", cos, x.value());
    check_table(check, "sin", sin, x.value());
    check.that(sin.shape() == cos.shape(), Code::bad_shape,
               "sin has shape {}, expected {} (the shape of cos)", sin.shape(), cos.shape());
    check.ids("rows", rows, cos.size(0), 0, Code::bad_position);
    check.that(rows.shape() == Shape{shape[0]}, Code::bad_shape,
               "rows have shape {}, expected [{}] (one for every token)", rows.shape(), shape[0]);
  }

  // y may be the memory of x.
  void turn(const Tensor& x, const Tensor& y, bool backward) const {
    kernels(x.device())
        .rotate({.x = x.view(),
                 .y = y.view(),
                 .cos = cos.view(),
                 .sin = sin.view(),
                 .rows = rows.view(x.device()),
                 .heads = heads,
                 .head_size = x.size(1) / heads,
                 .width = width,
                 .interleaved = interleaved,
                 .backward = backward});
  }
  Tensor turned(const Tensor& x, bool backward) const {
    const Tensor y = x.like(x.shape());
    turn(x, y, backward);
    return y;
  }
};

Var rotate(const Var& x, const Rotation& rotation) {
  return record(rotation.turned(x.value(), false), {x},
                [=](const Tensor& dy) { x.accumulate(rotation.turned(dy, true)); });
}

Rotation of_queries(const RotationTerm& term, int64_t heads) {
  return {term.cos, term.sin, term.query_rows, heads, term.width, term.interleaved};
}

}  // namespace

Var rotate_queries(const Var& q, const RotationTerm& term, int64_t heads) {
  const Rotation rotation = of_queries(term, heads);
  rotation.check(Check("rotate_queries"), "q", q);
  return rotate(q, rotation);
}

Var rotate_keys(const Var& k, const RotationTerm& term, int64_t heads) {
  const bool own = term.key_cos || term.key_sin;
  const Rotation rotation = {own ? term.key_cos : term.cos,
                             own ? term.key_sin : term.sin,
                             term.key_rows,
                             heads,
                             term.width,
                             term.interleaved};
  rotation.check(Check("rotate_keys"), "k", k);
  return rotate(k, rotation);
}

void rotate_in_place(const Tensor& x, const RotationTerm& term, int64_t heads, bool backward) {
  const Rotation rotation = of_queries(term, heads);
  rotation.check(Check("rotate_in_place"), "x", Var(x));
  rotation.turn(x, x, backward);
}

}  // namespace locus::op
