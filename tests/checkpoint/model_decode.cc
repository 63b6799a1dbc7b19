// The Locus side of cached decoding in tools/parity.py: model_decode DIR INPUTS OUT decodes with a KV cache.
// The first 3 + b tokens of row b are the prompt, the others follow one at a time. OUT has the logits after
// each step, [steps, B, V]. An encoder-decoder encodes input_ids and decodes decoder_input_ids.
#include <cstdio>

#include "locus/checkpoint/forward.h"
#include "locus/nn/decoder.h"

namespace {

using Rows = std::vector<std::vector<int32_t>>;

Rows rows_of(const locus::Tensor& ids) {
  Rows rows;
  for (int64_t b = 0; b < ids.size(0); ++b) {
    const int32_t* first = ids.view().row<int32_t>(b);
    rows.emplace_back(first, first + ids.size(1));
  }
  return rows;
}

void decode(const std::filesystem::path& path, const locus::ForwardInputs& inputs,
            const std::filesystem::path& out) {
  const locus::ModelFolder folder = locus::open_model(path);
  const bool both = folder.architecture.blueprint.kind == locus::ModelKind::encoder_decoder;
  const Rows texts = rows_of(both ? inputs.decoder_input_ids : inputs.input_ids);
  locus::Decoder decoder(folder.model);
  const Rows encoder_texts = both ? rows_of(inputs.input_ids) : Rows(texts.size());
  for (const std::vector<int32_t>& text : encoder_texts) decoder.add(text);
  const size_t steps = texts[0].size() - texts.size() - 1;
  std::vector<float> logits;
  for (size_t step = 0; step < steps; ++step) {
    Rows fresh;
    for (size_t b = 0; b < texts.size(); ++b) {
      const auto first = texts[b].begin(), next = first + static_cast<int64_t>(2 + b + step);
      fresh.emplace_back(step == 0 ? first : next, next + 1);
    }
    const std::vector<float> values = decoder.step(fresh).values();
    logits.insert(logits.end(), values.begin(), values.end());
  }
  const auto B = static_cast<int64_t>(texts.size()), S = static_cast<int64_t>(steps);
  const auto V = static_cast<int64_t>(logits.size()) / (S * B);
  locus::write_safetensors(out, {{"logits", locus::Tensor::of({S, B, V}, logits)}});
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  try {
    decode(words[1], locus::read_inputs(words[2]), words[3]);
  } catch (const locus::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
