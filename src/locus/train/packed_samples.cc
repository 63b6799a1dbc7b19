#include "locus/train/packed_samples.h"

#include "locus/nn/generate.h"

namespace locus {

PackedSamples pack(const std::vector<Sample>& samples, const Blueprint& blueprint) {
  std::vector<std::vector<int32_t>> ids, texts;
  std::vector<int32_t> targets, segments;
  for (const Sample& sample : samples) {
    ids.push_back(sample.ids);
    texts.push_back(sample.text);
    targets.insert(targets.end(), sample.targets.begin(), sample.targets.end());
    segments.insert(segments.end(), sample.segments.begin(), sample.segments.end());
  }
  PackedSamples packed{
      .tokens = tokens_of(ids, blueprint), .text = tokens_of(texts, blueprint), .targets = targets};
  if (!segments.empty()) {
    Tokens& read = blueprint.kind == ModelKind::encoder_decoder ? packed.text : packed.tokens;
    read.segments = Tensor::of({static_cast<int64_t>(segments.size())}, segments);
  }
  return packed;
}

Var logits_of(const Model& model, const PackedSamples& packed, const ForwardPass& pass) {
  const bool two = model.blueprint().kind == ModelKind::encoder_decoder;
  return two ? model(packed.text, packed.tokens, pass) : model(packed.tokens, pass);
}

}  // namespace locus
