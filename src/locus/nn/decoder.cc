#include "locus/nn/decoder.h"

#include <algorithm>

#include "locus/nn/generate.h"
#include "locus/nn/head.h"
#include "locus/nn/pooling.h"
#include "locus/nn/transformer.h"

namespace locus {

Decoder::Decoder(const Model& model) : model_(model) {
  const Blueprint& b = model.blueprint();
  require(b.head.kind == HeadKind::next_token && b.kind != ModelKind::encoder, Code::wrong_head,
          "generate: the model has no head that predicts the next token");
}

void Decoder::add(const std::vector<int32_t>& text) {
  const bool reads = model_.blueprint().kind == ModelKind::encoder_decoder;
  require(reads || text.empty(),
          "generate: got an encoder text, but the model is decoder-only: put the text into the prompt");
  require(!reads || !text.empty(), "generate: the encoder text is missing, an encoder-decoder needs one");
  sequences_.push_back({.text = text, .tokens = {}});
  cache_.add();
}

// The tables that a sequence needs now, of the scheme and of the scheme of global-attention layers.
std::pair<int64_t, int64_t> Decoder::variants(const Sequence& sequence) const {
  const Stack& stack = *model_.transformer().decoder();
  const int64_t end = model_.blueprint().position_offset + std::ssize(sequence.tokens);
  return {stack.scheme().variant(end), stack.global_scheme() ? stack.global_scheme()->variant(end) : 0};
}

Tensor Decoder::step(const std::vector<std::vector<int32_t>>& fresh) {
  require(fresh.size() == sequences_.size(), "generate: got tokens for {} sequences, expected {}",
          fresh.size(), sequences_.size());
  for (size_t i = 0; i < fresh.size(); ++i) {
    require(!fresh[i].empty(), "generate: sequence {} has no new tokens, expected at least one", i);
    sequences_[i].before = sequences_[i].tokens.size();
  }
  try {
    for (size_t i = 0; i < fresh.size(); ++i) {
      std::vector<int32_t>& tokens = sequences_[i].tokens;
      tokens.insert(tokens.end(), fresh[i].begin(), fresh[i].end());
    }
    return run();
  } catch (...) {
    undo();
    throw;
  }
}

void Decoder::undo() {
  for (int64_t i = 0; i < count(); ++i) {
    Sequence& sequence = sequences_[static_cast<size_t>(i)];
    sequence.tokens.resize(sequence.before);
    cache_.truncate(i, std::min(cache_.length(i), std::ssize(sequence.tokens)));
  }
}

// Computes the tokens that are not in the cache.
Tensor Decoder::run() {
  const NoGrad scope;
  std::vector<std::vector<int32_t>> missing;
  for (int64_t i = 0; i < count(); ++i) {
    Sequence& sequence = sequences_[static_cast<size_t>(i)];
    const std::pair<int64_t, int64_t> now = variants(sequence);
    if (now != std::exchange(sequence.variants, now)) cache_.truncate(i, 0);
    missing.emplace_back(sequence.tokens.begin() + cache_.length(i), sequence.tokens.end());
  }
  const Transformer& transformer = model_.transformer();
  const Tokens tokens = tokens_of(missing, model_.blueprint());
  ForwardPass pass;
  pass.cache = &cache_;
  const Var hidden =
      transformer.encoder() ? transformer.decode(tokens, new_texts(), pass) : transformer(tokens, pass);
  return model_.head()(pooled(hidden, tokens.placement, Pooling::last), tokens.placement).value().on_host();
}

// Encodes the texts that are not in the cache.
Memory Decoder::new_texts() const {
  std::vector<std::vector<int32_t>> texts;
  for (int64_t i = 0; i < count(); ++i) {
    if (!cache_.has_text(i)) texts.push_back(sequences_[static_cast<size_t>(i)].text);
  }
  if (texts.empty()) return {Var(), Placement::of_lengths({})};
  return model_.transformer().encode(tokens_of(texts, model_.blueprint()));
}

void Decoder::select(std::span<const int64_t> sequences) {
  std::vector<Sequence> selected;
  for (const int64_t i : sequences) {
    require(i >= 0 && i < count(), "generate: sequence is {}, expected 0 to {}", i, count() - 1);
    selected.push_back(sequences_[static_cast<size_t>(i)]);
  }
  cache_.select(sequences);
  sequences_ = std::move(selected);
}

}  // namespace locus
