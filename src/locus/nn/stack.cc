#include "locus/nn/stack.h"

#include "locus/autograd/recompute.h"
#include "locus/op/embed.h"

namespace locus {
namespace {

constexpr uint64_t kPlacesOfLayer = 8;

}  // namespace

Embeddings::Embeddings(const Blueprint& b, const ParameterFactory& factory,
                       std::shared_ptr<const TokenTable> tokens, uint64_t place)
    : tokens_(std::move(tokens)),
      scale_(b.embedding.scale),
      dropout_(b.dropout),
      padding_token_(b.embedding.padding_token.value_or(-1)),
      place_(place) {
  if (b.embedding.segments > 0)
    segments_ = factory.normal("segments", {b.embedding.segments, b.row_width()}, Role::table);
  if (b.embedding.norm) norm_ = Norm(b, factory / "norm", b.row_width());
  if (b.row_width() != b.width) project_ = Linear(factory / "project", b.row_width(), b.width, true);
}

Var Embeddings::operator()(const Tokens& tokens, const std::optional<InputTerm>& input,
                           const ForwardPass& pass) const {
  require(segments_ || !tokens.segments,
          "embeddings: got segment ids, expected none: the model has no segment embeddings");
  op::EmbedOptions options = {.token_scale = scale_,
                              .frozen_token = padding_token_,
                              .segments = segments_,
                              .segment_ids = tokens.segments,
                              .gamma = norm_.scale(),
                              .beta = norm_.beta,
                              .eps = norm_.eps,
                              .rms = norm_.rms,
                              .bf16 = pass.bf16,
                              .dropout = pass.training ? dropout_ : 0,
                              .random = pass.random(place_)};
  if (segments_ && !tokens.segments) {
    options.segment_ids = Tensor::zeros({tokens.ids.numel()}, DType::i32);
  }
  if (tokens_->source) tokens_->source->load(tokens.ids);
  const Var rows = op::embed(tokens_->rows, tokens.ids, input, options);
  return project_ ? project_(rows) : rows;
}

Stack::Stack(const Blueprint& b, const ParameterFactory& factory, Schemes schemes,
             std::shared_ptr<const TokenTable> tokens, bool cross_attention, uint64_t place)
    : schemes_(std::move(schemes)), embeddings_(b, factory / "embedding", std::move(tokens), place) {
  for (int64_t i = 0; i < b.layers; ++i) {
    const uint64_t own = place + kPlacesOfLayer * (static_cast<uint64_t>(i) + 1);
    const bool reused = b.shared_layers && i > 0;
    const ParameterFactory layer = factory / fmt::format("layers.{}", reused ? 0 : i);
    layers_.emplace_back(b, reused ? layer.reusing() : layer, i, cross_attention, own);
  }
  if (b.norms.final) norm_ = Norm(b, factory / "norm");
}

Var Stack::operator()(const Tokens& tokens, const ForwardPass& pass,
                      const std::optional<Memory>& memory) const {
  require(!pass.recompute || (!pass.cache && !pass.trace),
          "forward pass: recompute is set together with a cache or a trace, which would be filled twice");
  require(!pass.cache || !pass.trace,
          "forward pass: a cache is set together with a trace, expected one of them");
  const Placement* const texts = memory ? &memory->placement : nullptr;
  const auto [placement, cross] =
      pass.cache
          ? pass.cache->begin(tokens.placement, texts)
          : Cache::Pass{tokens.placement,
                        texts ? std::optional(tokens.placement.cross_attention(*texts)) : std::nullopt};
  const SchemePass own = schemes_.own->begin(placement);
  const StackPass all = {.pass = pass,
                         .placement = placement,
                         .cross = cross,
                         .positions = own,
                         .global_positions = schemes_.global ? schemes_.global->begin(placement) : own,
                         .memory = memory};
  Var x = embeddings_(tokens, own.input(), pass);
  if (pass.trace) pass.trace->states.push_back(x.value());
  for (const Layer& layer : layers_) {
    x = pass.recompute ? recompute([&layer, all](std::span<const Var> in) { return layer(in[0], all); }, {x})
                       : layer(x, all);
    if (pass.trace) pass.trace->states.push_back(x.value());
  }
  if (pass.cache) pass.cache->end();
  return norm_ ? norm_(x) : x;
}

}  // namespace locus
