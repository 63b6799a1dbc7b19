// If the values are rows of the identity matrix, the output of attention is the weights. So these are exactly
// the weights of the kernel, with any terms. One run gives the weights of D keys, the size of a head.
#include "locus/nn/attention_weights.h"

#include <algorithm>

namespace locus {

Tensor attention_weights(const Var& q, const Var& k, const Sequences& sequence, const ScoreTerms& terms,
                         const op::AttentionOptions& options) {
  require(sequence.count() == 1, "attention_weights: got {} sequences, expected 1", sequence.count());
  const NoGrad scope;
  const int64_t H = options.heads, G = options.key_heads == 0 ? H : options.key_heads, D = q.shape()[1] / H;
  const int64_t queries = q.shape()[0], keys = k.shape()[0];
  const Tensor weights = Tensor::empty({H, queries, keys});
  const auto all = weights.data<float>();
  for (int64_t first = 0; first < keys; first += D) {
    const int64_t count = std::min(D, keys - first);
    const Tensor v = Tensor::zeros({keys, G * D});
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t g = 0; g < G; ++g) v.data<float>()[(first + j) * G * D + g * D + j] = 1;
    }
    const Var own(v.on(q.value().device()));
    const Tensor out = op::attention(q, k, own, sequence, terms, options).value().on_host();
    const auto rows = out.data<float>();
    for (int64_t h = 0; h < H; ++h) {
      for (int64_t i = 0; i < queries; ++i) {
        for (int64_t j = 0; j < count; ++j) {
          all[(h * queries + i) * keys + first + j] = rows[i * H * D + h * D + j];
        }
      }
    }
  }
  return weights;
}

}  // namespace locus
