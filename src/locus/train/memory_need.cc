#include "locus/train/memory_need.h"

#include "locus/base/error.h"
#include "locus/nn/min_weights.h"

namespace locus {
namespace {

constexpr double kNumber = sizeof(float);
constexpr double kCopies = 4;  // per weight: the weight, its gradient and two moments

// Activations that a layer stores per token.
double layer_numbers(const Blueprint& b, bool recompute) {
  const auto width = static_cast<double>(b.width);
  return recompute ? width : 2 * width + attention_width(b) + static_cast<double>(b.hidden_width());
}

}  // namespace

double least_bytes(const Blueprint& b, const StepSize& step) {
  const double per_token = static_cast<double>(b.layers) * layer_numbers(b, step.recompute) +
                           (predicts_tokens(b.head) ? 2 * static_cast<double>(b.vocabulary) : 0);
  return kNumber * (kCopies * min_weights(b) + step.tokens * per_token);
}

void check_memory(const Blueprint& b, const StepSize& step, int64_t available) {
  const double least = least_bytes(b, step), weights = min_weights(b),
               free = static_cast<double>(available);
  if (least <= free) return;
  const bool model_alone = kNumber * kCopies * weights > free;
  const std::string hint =
      model_alone ? "use a smaller model: lower model.width or model.layers"
                  : "lower data.batch_size or data.context, raise train.micro_batches, or set data.recompute";
  fail({Fault::resource, Code::none, hint},
       "not enough memory: a training step needs at least {:.1f} GB ({:.0f} weights with gradients and "
       "optimizer "
       "moments, {:.0f} tokens per micro-batch), but only {:.1f} GB are available",
       least / 1e9, weights, step.tokens, free / 1e9);
}

}  // namespace locus
