#include "locus/nn/head.h"

#include <cmath>

#include "locus/nn/pooling.h"
#include "locus/op/dropout.h"
#include "locus/op/elementwise.h"

namespace locus {
namespace {

constexpr uint64_t kPlace = (uint64_t{1} << 24) - 1;  // after the places of the stacks
// Added to the mean of squares, so that a zero vector stays zero.
constexpr float kTiny = 1e-24f;

int64_t outputs(const Blueprint& b) { return b.head.kind == HeadKind::answer ? 2 : b.head.labels; }

}  // namespace

Head::Head(const Blueprint& b, const ParameterFactory& factory, const Var& tokens)
    : kind_(b.head.kind),
      pooling_(b.head.pooling),
      activation_(b.feed_forward.activation),
      pooler_activation_(b.head.pooler),
      normalize_(b.head.normalize),
      scale_(b.head.scale),
      cap_(b.head.cap),
      dropout_(b.dropout) {
  if (b.head.pooler != Activation::none) pooler_ = Linear(factory / "pooler", b.width, b.width, true);
  if (normalize_) {
    ones_ =
        Var(factory.scope().constant(Tensor::full({b.width}, 1 / std::sqrt(static_cast<double>(b.width)))));
  }
  if (kind_ == HeadKind::none || kind_ == HeadKind::embedding) return;
  // The dense layer projects to the width of the token embeddings, because a tied head multiplies by them.
  const int64_t read = b.head.dense && predicts_tokens(kind_) ? b.row_width() : b.width;
  if (b.head.dense) {
    dense_ = Linear(factory / "dense", b.width, read, b.head.dense_bias);
    dense_norm_ = Norm(b, factory / "dense_norm", read);
  }
  if (predicts_tokens(kind_)) {
    require(!b.head.tied || tokens.shape()[1] == read,
            "blueprint: tied is true, but token embeddings have width {} and hidden states {}, expected "
            "equal widths or tied = false",
            tokens.shape()[1], read);
    out_.weight = b.head.tied ? tokens : factory.weight("weight", {b.vocabulary, read}, Role::matrix);
    if (b.head.bias) out_.bias = factory.full("bias", {b.vocabulary}, Role::bias, 0);
  } else {
    out_ = Linear(factory.owned_by(Owner::labels) / "out", b.width, outputs(b), b.head.label_bias);
  }
}

Var Head::transformed(const Var& x) const { return dense_ ? dense_norm_(dense_(x, activation_)) : x; }

Var Head::pooled(const Var& hidden, const Placement& placement) const {
  const Var x = locus::pooled(hidden, placement, pooling_);
  return pooler_ ? pooler_(x, pooler_activation_) : x;
}

Var Head::operator()(const Var& hidden, const Placement& placement, const ForwardPass& pass) const {
  const auto dropped = [&](const Var& x) {
    return pass.training && dropout_ > 0 ? op::dropout(x, dropout_, pass.random(kPlace)) : x;
  };
  switch (kind_) {
    case HeadKind::none:
      return hidden;
    case HeadKind::next_token:
    case HeadKind::masked_token: {
      const float scale = cap_ > 0 ? scale_ / cap_ : scale_;
      const Var x = scale == 1 ? transformed(hidden) : op::scale(transformed(hidden), scale);
      return cap_ > 0 ? op::scale(out_(x, Activation::tanh), cap_) : out_(x);
    }
    case HeadKind::token_class:
    case HeadKind::answer:
      return out_(dropped(transformed(hidden)));
    case HeadKind::sequence_class:
      return out_(dropped(transformed(pooled(hidden, placement))));
    case HeadKind::embedding: {
      const Var x = pooled(hidden, placement);
      return normalize_ ? op::rms_norm(x, ones_, kTiny) : x;
    }
  }
  fail(Fault::bug, "head: unknown kind {}", static_cast<int>(kind_));
}

}  // namespace locus
