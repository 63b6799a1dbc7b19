#include "locus/train/memory_need.h"

#include "locus/base/error.h"
#include "locus/nn/least_weights.h"

namespace locus {
namespace {

constexpr double kNumber = sizeof(float);
constexpr double kCopies = 4;  // of a weight: itself, its gradient and two moments

// Numbers of one token that a layer keeps.
double layer_numbers(const Blueprint& b, bool recompute) {
  const auto width = static_cast<double>(b.width);
  return recompute ? width : 2 * width + attention_width(b) + static_cast<double>(b.hidden_width());
}

}  // namespace

double least_bytes(const Blueprint& b, const StepSize& step) {
  const bool says_tokens = tells_tokens(b.head);
  const double of_token = static_cast<double>(b.layers) * layer_numbers(b, step.recompute) +
                          (says_tokens ? 2 * static_cast<double>(b.vocabulary) : 0);
  return kNumber * (kCopies * least_weights(b) + step.tokens * of_token);
}

void check_memory(const Blueprint& b, const StepSize& step, int64_t available) {
  const double least = least_bytes(b, step), weights = least_weights(b),
               free = static_cast<double>(available);
  if (least <= free) return;
  const bool model_alone = kNumber * kCopies * weights > free;
  fail(Fault::resource,
       "a step needs at least {:.1f} GB ({:.0f} weights with their gradients and moments, {:.0f} "
       "tokens at once), but {:.1f} GB are free; {}",
       least / 1e9, weights, step.tokens, free / 1e9,
       model_alone
           ? "take a smaller model: lower model.width or model.layers"
           : "lower data.batch_size or data.context, raise train.micro_batches, or set data.recompute");
}

}  // namespace locus
