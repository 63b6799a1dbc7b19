#include "locus/nn/min_weights.h"

#include <algorithm>

#include "locus/scheme/combination.h"

namespace locus {
namespace {

double layer_weights(const Blueprint& b) {
  const double hidden = (b.feed_forward.gated ? 3 : 2) * static_cast<double>(b.hidden_width());
  return static_cast<double>(b.width) * (attention_width(b) + hidden);
}

double stack_weights(const Blueprint& b) {
  return static_cast<double>(b.shared_layers ? std::min<int64_t>(b.layers, 1) : b.layers) * layer_weights(b);
}

// Weights of the token, segment and position embeddings; 0 if an option changes their width or number.
double row_weights(const Blueprint& b) {
  for (const auto& [name, value] : b.scheme_options) {
    if (own_name(name) == "rows" || (own_name(name) == "combine" && value == "joined")) return 0;
  }
  const int64_t positions = scheme_info(b.scheme).extrapolates ? 0 : b.max_length;
  return static_cast<double>(b.vocabulary + b.embedding.segments + positions) *
         static_cast<double>(b.row_width());
}

}  // namespace

double attention_width(const Blueprint& b) {
  return 2 * static_cast<double>(b.attention.heads + b.key_head_count()) *
         static_cast<double>(b.size_of_head());
}

double min_weights(const Blueprint& b) {
  const double layers = b.kind == ModelKind::encoder_decoder
                            ? stack_weights(b.encoder_part()) + stack_weights(b.decoder_part())
                            : stack_weights(b);
  return layers + row_weights(b);
}

}  // namespace locus
