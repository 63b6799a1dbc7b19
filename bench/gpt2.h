// GPT-2 124M and its training step, for the benchmarks of every device. The work counted is 6 operations per
// token for each weight of a matrix product, including the head.
#pragma once

#include "locus/base/random.h"
#include "locus/nn/blueprint.h"
#include "locus/train/text_samples.h"

namespace locus::bench {

inline Blueprint gpt2(int64_t max_length = 1024) {
  return {.kind = ModelKind::decoder,
          .vocabulary = 50257,
          .width = 768,
          .layers = 12,
          .max_length = max_length,
          .scheme = "learned",
          .attention = {.heads = 12, .fused_qkv = true},
          .feed_forward = {.activation = Activation::gelu_tanh}};
}

// Random tokens.
inline std::vector<Sample> gpt2_samples(int64_t sequences, int64_t length) {
  const Random random(1, 0);
  std::vector<Sample> list(static_cast<size_t>(sequences));
  for (int64_t i = 0; i < sequences * length; ++i) {
    Sample& sample = list[static_cast<size_t>(i / length)];
    sample.ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(2 * i), 50257)));
    sample.targets.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(2 * i + 1), 50257)));
  }
  return list;
}

// Weights of the matrix products. Tables that are only looked up do no arithmetic.
inline double multiplied_weights(const Blueprint& b) {
  const auto width = static_cast<double>(b.width), hidden = static_cast<double>(b.hidden_width());
  return static_cast<double>(b.layers) * (4 * width * width + 2 * width * hidden) +
         width * static_cast<double>(b.vocabulary);
}

}  // namespace locus::bench
