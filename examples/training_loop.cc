// Trains a small decoder to memorize a sentence (blueprint, loss, gradients, optimizer), then generates from
// it.
#include <fmt/core.h>

#include "locus/locus.h"

using namespace locus;

namespace {

constexpr const char* kSentence = "The dog chased the ball, but it could not catch it.";

int run() {
  const ByteVocabulary bytes;
  const std::vector<int32_t> text = bytes.encode(kSentence);
  const std::vector<int32_t> inputs(text.begin(), text.end() - 1), targets(text.begin() + 1, text.end());

  Model model(Blueprint{.vocabulary = bytes.size(),
                        .width = 32,
                        .scheme = "rotary",
                        .attention = {.heads = 4},
                        .init_std = 0.2f});
  AdamW optimizer(model.parameters(), {.weight_decay = 0});
  const Tokens tokens = tokens_of({inputs}, model.blueprint());
  const Tensor wanted = Tensor::of({static_cast<int64_t>(targets.size())}, targets);
  float last = 0;
  for (int step = 0; step < 120; ++step) {
    const Var loss = op::cross_entropy(model(tokens), wanted);
    loss.backward();
    optimizer.step(1e-2);
    last = loss.value().values()[0];
  }
  fmt::print("loss below 0.1: {}\n", last < 0.1f);

  const auto written = generate(model, {bytes.encode("The dog")}, {.max_tokens = 17});
  fmt::print("The dog{}\n", bytes.decode(written[0]));
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const Error& error) {
    fmt::print(stderr, "training_loop: {}\n", error.what());
    return static_cast<int>(error.fault());
  }
}
