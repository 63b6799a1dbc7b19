#include "locus/nn/decoder.h"

#include "locus/nn/generate.h"
#include "locus/nn/pooling.h"

namespace locus {
namespace {

bool same_tables(const Stack& stack, size_t before, size_t now) {
  const auto same = [=](const Scheme& scheme) {
    return scheme.variant(static_cast<int64_t>(before)) == scheme.variant(static_cast<int64_t>(now));
  };
  return same(stack.scheme()) && (!stack.global_scheme() || same(*stack.global_scheme()));
}

}  // namespace

Decoder::Decoder(const Model& model, const std::vector<std::vector<int32_t>>& texts) : model_(model) {
  const Blueprint& b = model.blueprint();
  require(b.head == HeadKind::next_token && b.kind != ModelKind::encoder, Code::wrong_head,
          "generate: the model has no head that predicts the next token");
  const bool reads = b.kind == ModelKind::encoder_decoder;
  require(reads || texts.empty(),
          "generate: got an encoder text, but the model is decoder-only: put the text into the prompt");
  require(!reads || !texts.empty(), "generate: the encoder text is missing, an encoder-decoder needs one");
  if (!reads) return;
  const NoGrad scope;
  memory_ = model.transformer().encode(tokens_of(texts, b));
}

Tensor Decoder::step(const std::vector<std::vector<int32_t>>& fresh) {
  const NoGrad scope;
  if (history_.empty()) history_.resize(fresh.size());
  require(fresh.size() == history_.size(), "generate: got tokens for {} sequences, expected {}", fresh.size(),
          history_.size());
  const Stack& stack = *model_.transformer().decoder();
  bool changed = false;
  for (size_t i = 0; i < fresh.size(); ++i) {
    const size_t before = history_[i].size();
    history_[i].insert(history_[i].end(), fresh[i].begin(), fresh[i].end());
    changed |= before > 0 && !same_tables(stack, before, history_[i].size());
  }
  if (changed) cache_ = {};
  const Tokens tokens = tokens_of(changed ? history_ : fresh, model_.blueprint());
  ForwardPass pass;
  pass.cache = &cache_;
  const Var hidden =
      memory_ ? model_.transformer().decode(tokens, *memory_, pass) : model_.transformer()(tokens, pass);
  return model_.head()(pooled(hidden, tokens.placement, Pooling::last), tokens.placement).value();
}

void Decoder::select(std::span<const int64_t> sequences) {
  cache_.select(sequences);
  std::vector<std::vector<int32_t>> selected;
  for (const int64_t i : sequences) selected.push_back(history_.at(static_cast<size_t>(i)));
  history_ = std::move(selected);
}

}  // namespace locus
