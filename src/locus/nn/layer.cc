#include "locus/nn/layer.h"

#include "locus/op/dropout.h"
#include "locus/op/elementwise.h"

namespace locus {
namespace {

enum Place : uint64_t {
  kWeights,
  kAfterAttention,
  kAfterCrossAttention,
  kAfterFeedForward,
  kCrossAttentionWeights
};

Blueprint unfused(Blueprint blueprint) {
  blueprint.attention.fused_qkv = false;
  return blueprint;
}

}  // namespace

Layer::Layer(const Blueprint& b, const ParameterFactory& factory, int64_t index, bool cross_attention,
             uint64_t place)
    : residual_(b.residual),
      norm_place_(b.norms.place),
      residual_scale_(b.residual_scale),
      dropout_(b.dropout),
      place_(place),
      attention_(b, factory / "attention", index, place + kWeights),
      feed_forward_(b, factory / "feed_forward") {
  // Queries come from one text, keys and values from another, so their projections cannot be fused.
  if (cross_attention)
    cross_attention_.emplace(unfused(b), factory / "across", index, place + kCrossAttentionWeights);
  if (norm_place_ != NormPlace::added) {
    if (index > 0 || b.norms.first) attention_norm_ = Norm(b, factory / "attention_norm");
    if (cross_attention) cross_attention_norm_ = Norm(b, factory / "across_norm");
    if (residual_ != Residual::parallel_one_norm) feed_forward_norm_ = Norm(b, factory / "feed_forward_norm");
  }
  if (norm_place_ == NormPlace::around || norm_place_ == NormPlace::added) {
    attention_out_norm_ = Norm(b, factory / "attention_out_norm");
    if (cross_attention) cross_attention_out_norm_ = Norm(b, factory / "across_out_norm");
    feed_forward_out_norm_ = Norm(b, factory / "feed_forward_out_norm");
  }
}

Var Layer::residual_term(const Var& x, const ForwardPass& pass, uint64_t place) const {
  const Var dropped =
      pass.training && dropout_ > 0 ? op::dropout(x, dropout_, pass.random(place_ + place)) : x;
  return residual_scale_ == 1 ? dropped : op::scale(dropped, residual_scale_);
}

Var Layer::parallel(const Var& x, const StackPass& pass) const {
  const Var normed = attention_norm_ ? attention_norm_(x) : x;
  const Var attended = attention_(normed, pass);
  const Var fed = feed_forward_(feed_forward_norm_ ? feed_forward_norm_(x) : normed);
  return op::add(x, op::add(residual_term(attended, pass.pass, kAfterAttention),
                            residual_term(fed, pass.pass, kAfterFeedForward)));
}

Var Layer::operator()(const Var& x, const StackPass& pass) const {
  if (residual_ != Residual::sequential) return parallel(x, pass);
  const bool first = norm_place_ != NormPlace::after;
  const auto add = [&](const Var& before, const Norm& norm, const Norm& out_norm, Place place,
                       const auto& part) {
    const Var result = part(first && norm ? norm(before) : before);
    const Var sum = op::add(before, residual_term(out_norm ? out_norm(result) : result, pass.pass, place));
    return first ? sum : norm(sum);
  };
  Var y = add(x, attention_norm_, attention_out_norm_, kAfterAttention,
              [&](const Var& h) { return attention_(h, pass); });
  if (cross_attention_) {
    y = add(y, cross_attention_norm_, cross_attention_out_norm_, kAfterCrossAttention,
            [&](const Var& h) { return cross_attention_->cross_attention(h, pass); });
  }
  return add(y, feed_forward_norm_, feed_forward_out_norm_, kAfterFeedForward,
             [&](const Var& h) { return feed_forward_(h); });
}

}  // namespace locus
