#include "locus/train/memory_need.h"

#include <algorithm>
#include <cmath>

#include "locus/base/error.h"
#include "locus/nn/min_weights.h"

namespace locus {
namespace {

constexpr double kNumber = sizeof(float), kRounded = sizeof(Bf16);

// Numbers per weight: the weight, its gradient, two moments, and the sums of gradients that wait.
double copies(const StepSize& step) {
  const auto ranks = static_cast<double>(step.ranks);
  const double waiting = std::floor(std::log2(std::max(1.0, static_cast<double>(step.shards) / ranks)));
  return 2 + 2 / ranks + waiting;
}

// Numbers of the tables of a stack's schemes. Nothing is written into the tables, so the system gives them no
// memory.
double table_numbers(const Blueprint& b) {
  double numbers = 0;
  const auto add = [&](const std::string& name, const OptionValues& options) {
    if (name.empty()) return;
    Parameters parameters;
    const auto scheme = make_scheme(name, b.geometry(), options, Scope(parameters), std::nullopt);
    numbers += static_cast<double>(parameters.numel());
  };
  add(b.scheme, b.scheme_options);
  add(b.global.scheme, b.global.scheme_options);
  return numbers;
}

// Numbers of all tables that min_weights() does not count. It counts a table of positions, at most once.
double more_table_numbers(const Blueprint& b) {
  const double all = b.kind == ModelKind::encoder_decoder
                         ? table_numbers(b.encoder_part()) + table_numbers(b.decoder_part())
                         : table_numbers(b);
  return std::max(all - static_cast<double>(b.max_length) * static_cast<double>(b.row_width()), 0.0);
}

// Activations that a layer stores per token.
double layer_numbers(const Blueprint& b, bool recompute) {
  const auto width = static_cast<double>(b.width);
  return recompute ? width : 2 * width + attention_width(b) + static_cast<double>(b.hidden_width());
}

}  // namespace

double least_bytes(const Blueprint& b, const StepSize& step) {
  const double per_token = static_cast<double>(b.layers) * layer_numbers(b, step.recompute) +
                           (predicts_tokens(b.head.kind) ? 2 * static_cast<double>(b.vocabulary) : 0);
  return kNumber * copies(step) * (min_weights(b) + more_table_numbers(b)) +
         (step.bf16 ? kRounded : kNumber) * step.tokens * per_token;
}

void check_memory(const Blueprint& b, const StepSize& step, int64_t available) {
  const double least = least_bytes(b, step), free = static_cast<double>(available);
  if (least <= free) return;
  const double tables = more_table_numbers(b), weights = min_weights(b) + tables;
  const bool model_alone = kNumber * copies(step) * weights > free;
  const std::string hint =
      model_alone && step.shards > 1        ? "use a smaller model, or lower train.shards"
      : model_alone && 2 * tables > weights ? "use smaller tables: lower the lengths in model.scheme"
      : model_alone
          ? "use a smaller model: lower model.width or model.layers"
          : "lower data.batch_size or data.context, raise train.micro_batches, or set data.recompute";
  fail({Fault::resource, Code::none, hint},
       "not enough memory: a training step needs at least {:.1f} GB ({:.0f} weights with gradients and "
       "optimizer "
       "moments, {:.0f} tokens per micro-batch), but only {:.1f} GB are available",
       least / 1e9, weights, step.tokens, free / 1e9);
}

}  // namespace locus
