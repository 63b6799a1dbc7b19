// A full training step of GPT-2 124M on 4 sequences of 256 tokens: forward, backward, AdamW.
#include <memory>

#include "bench/cases.h"
#include "bench/gpt2.h"
#include "locus/nn/model.h"
#include "locus/train/model_objective.h"
#include "locus/train/optimizer.h"

namespace locus::bench {
namespace {

constexpr int64_t kSequences = 4, kLength = 256;

struct Training {
  Model model{gpt2()};
  AdamW optimizer{model.parameters(), {.clip = 1}};
  std::vector<Sample> batch = gpt2_samples(kSequences, kLength);
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
