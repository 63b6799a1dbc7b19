#include "locus/train/memory_need.h"

#include "locus/base/error.h"

namespace locus {
namespace {

constexpr double kNumber = sizeof(float);

// Numbers of one token that a layer keeps.
double layer_numbers(const Blueprint& b, bool recompute) {
  const auto width = static_cast<double>(b.width);
  if (recompute) return width;
  const auto heads = static_cast<double>(b.heads), size = static_cast<double>(b.size_of_head());
  const auto key_heads = static_cast<double>(b.key_heads > 0 ? b.key_heads : b.heads);
  return 2 * width + (2 * heads + 2 * key_heads) * size + static_cast<double>(b.hidden_width());
}

}  // namespace

double least_bytes(const Blueprint& b, const StepSize& step) {
  const bool says_tokens = b.head == HeadKind::next_token || b.head == HeadKind::masked_token;
  const double of_token = static_cast<double>(b.layers) * layer_numbers(b, step.recompute) +
                          (says_tokens ? 2 * static_cast<double>(b.vocabulary) : 0);
  return kNumber * (4 * static_cast<double>(step.parameters) + step.tokens * of_token);
}

void check_memory(const Blueprint& b, const StepSize& step, int64_t available) {
  const double least = least_bytes(b, step);
  if (least <= static_cast<double>(available)) return;
  fail(Fault::resource,
       "a step needs at least {:.1f} GB ({} parameters with their gradients and moments, {:.0f} tokens at "
       "once), "
       "but {:.1f} GB are free; lower data.batch or data.context, raise train.parts, or set data.recompute",
       least / 1e9, step.parameters, step.tokens, static_cast<double>(available) / 1e9);
}

}  // namespace locus
