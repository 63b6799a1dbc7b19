// A model so small that a hundred steps take a few milliseconds: two layers that learn random classes. Its
// inputs have noise, so that a step with another random number is detected.
#pragma once

#include <limits>
#include <optional>

#include "locus/base/random.h"
#include "locus/op/cross_entropy.h"
#include "locus/op/matmul.h"
#include "locus/train/trainer.h"

namespace locus::testing {

class Trainee : public Objective {
 public:
  static constexpr int64_t kSamples = 32, kIn = 9, kHidden = 33, kClasses = 5;

  Trainee() {
    const auto add = [&](const char* name, Shape shape, uint64_t stream, Role role) {
      parameters.add(name, noise(shape, Random(1, stream)), role);
    };
    add("first.weight", {kHidden, kIn}, 1, Role::matrix);
    add("first.bias", {kHidden}, 2, Role::bias);
    add("second.weight", {kClasses, kHidden}, 3, Role::matrix);
  }

  PartialLoss loss(const MicroBatch& micro_batch) override {
    const int64_t count = kSamples / micro_batch.count, first = micro_batch.index * count;
    const Random random(micro_batch.seed, micro_batch.number());
    const Tensor x = noise({count, kIn}, Random(2, 0), first);
    const Tensor shaken = noise({count, kIn}, random);
    for (int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] += shaking * shaken.data<float>()[i];
    const Tensor targets = Tensor::empty({count}, DType::i32);
    for (int64_t i = 0; i < count; ++i) {
      targets.data<int32_t>()[i] = static_cast<int32_t>(Random(3, 0).below(first + i, kClasses));
    }
    PartialLoss result{.mean = op::cross_entropy(logits(Var(x)), targets),
                       .weight = static_cast<double>(count),
                       .tokens = count};
    if (micro_batch.step == nan_at)
      result.mean.value().view().as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    return result;
  }

  std::optional<Validation> evaluate() override {
    double squares = 0;
    for (const float value : logits(Var(noise({4, kIn}, Random(4, 0)))).value().values()) {
      squares += static_cast<double>(value * value);
    }
    return Validation{.loss = squares, .more = {{"accuracy", 0.5}}};
  }

  Parameters parameters;
  int64_t nan_at = 0;    // the step whose loss is NaN
  float shaking = 0.1f;  // noise of the inputs

 private:
  static Tensor noise(Shape shape, const Random& random, int64_t first_row = 0) {
    const Tensor result = Tensor::empty(shape);
    for (int64_t i = 0; i < result.numel(); ++i) {
      result.data<float>()[i] = random.normal(static_cast<uint64_t>(first_row * shape.cols() + i));
    }
    return result;
  }

  Var logits(const Var& x) const {
    const Var hidden =
        op::linear(x, parameters.at("first.weight"), parameters.at("first.bias"), Activation::tanh);
    return op::linear(hidden, parameters.at("second.weight"));
  }
};

inline TrainSettings trainee_settings(int64_t steps) {
  return {.steps = steps,
          .micro_batches = 2,
          .eval_every = 10,
          .save_every = 3,
          .learning_rate = 0.02,
          .warmup = 5,
          .adamw = {.weight_decay = 0.01, .clip = 1}};
}

}  // namespace locus::testing
