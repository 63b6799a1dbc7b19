#include "locus/nn/attention.h"

#include "locus/nn/attention_weights.h"
#include "locus/op/layout.h"
#include "locus/op/rotate.h"

namespace locus {

Attention::Attention(const Blueprint& b, const ParameterFactory& factory, int64_t layer, uint64_t place)
    : layer_(layer),
      heads_(b.attention.heads),
      key_heads_(b.key_head_count()),
      head_size_(b.size_of_head()),
      causal_(b.kind == ModelKind::decoder),
      global_(b.is_global(layer)),
      window_(b.window_of(layer)),
      scale_(b.attention.scale.value_or(0)),
      cap_(b.attention.cap),
      dropout_(b.attention.dropout),
      place_(place) {
  const int64_t all = heads_ * head_size_, keys = key_heads_ * head_size_;
  if (b.attention.fused_qkv) {
    qkv_ = Linear(factory / "qkv", b.width, all + 2 * keys, b.attention.query_bias);
  } else {
    query_ = Linear(factory / "query", b.width, all, b.attention.query_bias);
    key_ = Linear(factory / "key", b.width, keys, b.attention.key_bias);
    value_ = Linear(factory / "value", b.width, keys, b.attention.value_bias);
  }
  out_ = Linear(factory / "out", all, b.width, b.attention.output_bias, b.residual_init_scale());
  if (b.attention.head_norms || b.attention.joint_norms) {
    query_norm_ = Norm(b, factory / "query_norm", b.attention.head_norms ? head_size_ : all);
    key_norm_ = Norm(b, factory / "key_norm", b.attention.head_norms ? head_size_ : keys);
  }
}

Var Attention::normed(const Norm& norm, const Var& x) const {
  if (!norm) return x;
  const int64_t width = norm.gamma.shape()[0];  // of one head, or of all heads
  return op::reshape(norm(op::reshape(x, {x.shape().numel() / width, width})), x.shape());
}

Attention::Projected Attention::project(const Var& x) const {
  if (!qkv_) return {normed(query_norm_, query_(x)), normed(key_norm_, key_(x)), value_(x)};
  const int64_t keys = key_heads_ * head_size_;
  const std::vector<Var> parts = op::split(qkv_(x), {heads_ * head_size_, keys, keys});
  return {normed(query_norm_, parts[0]), normed(key_norm_, parts[1]), parts[2]};
}

LayerView Attention::view() const {
  if (!qkv_) {
    return {.layer = layer_,
            .query_weight = query_.weight,
            .query_bias = query_.bias,
            .key_weight = key_.weight,
            .key_bias = key_.bias,
            .frozen = !query_.wants_grad() && !key_.wants_grad()};
  }
  const int64_t all = heads_ * head_size_, keys = key_heads_ * head_size_;
  LayerView view = {.layer = layer_,
                    .query_weight = op::rows(qkv_.weight, 0, all),
                    .key_weight = op::rows(qkv_.weight, all, all + keys),
                    .frozen = !qkv_.wants_grad()};
  if (qkv_.bias) {
    const std::vector<Var> biases = op::split(qkv_.bias, {all, keys, keys});
    view.query_bias = biases[0], view.key_bias = biases[1];
  }
  return view;
}

op::AttentionOptions Attention::options(const ForwardPass& pass, bool causal, int64_t window) const {
  return {.heads = heads_,
          .key_heads = key_heads_,
          .scale = scale_,
          .cap = cap_,
          .causal = causal,
          .window = window,
          .dropout = pass.training ? dropout_ : 0,
          .random = pass.random(place_)};
}

Var Attention::operator()(const Var& x, const StackPass& pass) const {
  auto [q, k, v] = project(x);
  const SchemePass& positions = global_ ? pass.global_positions : pass.positions;
  if (const auto& rotation = positions.rotation()) {
    q = op::rotate_queries(q, *rotation, heads_);
    RotationTerm fresh = *rotation;  // only the keys of this pass; cached keys are rotated already
    fresh.key_rows = fresh.query_rows;
    k = op::rotate_keys(k, fresh, key_heads_);
  }
  const ScoreTerms scores = positions.scores(view());
  const op::AttentionOptions how = options(pass.pass, causal_, window_);
  const Sequences& sequences = pass.placement.sequences();
  if (Cache* const cache = pass.pass.cache) {
    require(!k.wants_grad() && !v.wants_grad(),
            "attention: a forward pass with a KV cache cannot record gradients, expected a NoGrad scope");
    const std::vector<op::KeyRoom> rooms = cache->extend(layer_, k.value(), v.value(), key_heads_);
    return out_(op::attention(q, rooms, sequences, scores, how));
  }
  if (pass.pass.trace) {
    pass.pass.trace->weights.push_back(attention_weights(q, k, sequences, scores, how));
  }
  return out_(op::attention(q, k, v, sequences, scores, how));
}

Var Attention::cross_attention(const Var& x, const StackPass& pass) const {
  const auto keys = [&] { return normed(key_norm_, key_(pass.memory->states)); };
  const auto values = [&] { return value_(pass.memory->states); };
  const Var q = normed(query_norm_, query_(x));
  const Sequences& sequences = pass.cross->sequences();
  const op::AttentionOptions how = options(pass.pass, false, 0);
  if (Cache* const cache = pass.pass.cache) {
    if (cache->awaits_texts()) cache->add_texts(layer_, keys().value(), values().value(), key_heads_);
    return out_(op::attention(q, cache->texts(layer_), sequences, {}, how));
  }
  return out_(op::attention(q, keys(), values(), sequences, {}, how));
}

}  // namespace locus
