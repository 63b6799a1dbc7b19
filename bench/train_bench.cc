// A full training step of GPT-2 124M on 4 sequences of 256 tokens: forward, backward, AdamW. The work counted
// is 6 operations per token for each weight of a matrix product, including the head.
#include <memory>

#include "bench/cases.h"
#include "locus/nn/model.h"
#include "locus/train/model_objective.h"
#include "locus/train/optimizer.h"
#include "locus/train/text_samples.h"

namespace locus::bench {
namespace {

constexpr int64_t kSequences = 4, kLength = 256;

Blueprint gpt2() {
  return {.kind = ModelKind::decoder,
          .vocabulary = 50257,
          .width = 768,
          .layers = 12,
          .max_length = 1024,
          .scheme = "learned",
          .attention = {.heads = 12, .fused_qkv = true},
          .feed_forward = {.activation = Activation::gelu_tanh}};
}

std::vector<Sample> samples() {
  const Random random(1, 0);
  std::vector<Sample> list(kSequences);
  for (int64_t i = 0; i < kSequences * kLength; ++i) {
    Sample& sample = list[static_cast<size_t>(i / kLength)];
    sample.ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(2 * i), 50257)));
    sample.targets.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(2 * i + 1), 50257)));
  }
  return list;
}

// Weights of the matrix products. Tables that are only looked up do no arithmetic.
double multiplied_weights(const Blueprint& b) {
  const auto width = static_cast<double>(b.width), hidden = static_cast<double>(b.hidden_width());
  return static_cast<double>(b.layers) * (4 * width * width + 2 * width * hidden) +
         width * static_cast<double>(b.vocabulary);
}

struct Training {
  Model model{gpt2()};
  AdamW optimizer{model.parameters(), {.clip = 1}};
  std::vector<Sample> batch = samples();
  uint64_t number = 0;

  void step() {
    batch_loss(model, batch, {.training = true, .step = number++}).mean.backward();
    optimizer.step(1e-4);
  }
};

}  // namespace

void add_train_cases() {
  add({.kernel = "train",
       .shape = "gpt2-124M 4x256",
       .work = 6 * multiplied_weights(gpt2()) * kSequences * kLength,
       .limit = Limit::fma,
       .tokens = kSequences * kLength,
       .prepare = [] {
         auto training = std::make_shared<Training>();
         return [training] { training->step(); };
       }});
}

}  // namespace locus::bench
