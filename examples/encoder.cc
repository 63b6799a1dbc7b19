// A standard encoder of the size of BERT-base: token and position embeddings with layer norm and dropout,
// then twelve layers. The output is a hidden state for each token.
#include <fmt/core.h>

#include "locus/locus.h"

using namespace locus;

namespace {

// bert-base-uncased: 12 layers, 12 heads, hidden size 768, a learned table of 512 positions.
const Blueprint kConfig = {.kind = ModelKind::encoder,
                           .vocabulary = 30522,
                           .width = 768,
                           .layers = 12,
                           .max_length = 512,
                           .scheme = "learned",
                           .embedding = {.norm = true},
                           .norms = {.eps = 1e-12f, .final = false},
                           .attention = {.heads = 12},
                           .dropout = 0.1f,
                           .head = {.kind = HeadKind::none}};

std::string shape_of(const Var& states, const Placement& placement) {
  return placement.unpack(states.value()).shape().text();
}

int run() {
  // The token ids of "time flies like an arrow" in the vocabulary of bert-base-uncased.
  const Tensor input_ids = Tensor::of({1, 5}, {2051, 10029, 2066, 2019, 8612});
  const Placement placement = Placement::rectangle(1, 5);
  const Tokens inputs = {placement.pack(input_ids), placement, {}};

  // A seed would randomly initialize 110 million weights. Uninitialized weights show the same shapes faster.
  const Model::Options blank = {.seed = std::nullopt};
  Blueprint embeddings = kConfig;
  embeddings.layers = 0;
  const Model embedding_layer(embeddings, blank);
  fmt::print("embeddings: {}\n", shape_of(embedding_layer(inputs), placement));

  const Model encoder(kConfig, blank);
  fmt::print("encoder:    {}\n", shape_of(encoder(inputs), placement));
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const Error& error) {
    fmt::print(stderr, "encoder: {}\n", error.what());
    return static_cast<int>(error.fault());
  }
}
