#include "locus/train/model_objective.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/op/cross_entropy.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"
#include "locus/train/packed_samples.h"
#include "locus/train/tally.h"

namespace locus {
namespace {

BatchLoss row_loss(const Var& logits, const std::vector<int32_t>& targets, float label_smoothing) {
  BatchLoss result{.count =
                       std::ranges::count_if(targets, [](int32_t t) { return t != kernel::kIgnoredTarget; })};
  if (result.count == 0) return result;
  result.mean = op::cross_entropy(logits, Indices::of(targets), {.smoothing = label_smoothing});
  return result;
}

// Logits [N, 2]: start and end of each sample's answer, each a softmax over the tokens of its own sample.
BatchLoss answer_loss(const Var& logits, const std::vector<Sample>& samples, float label_smoothing) {
  BatchLoss result{.count = static_cast<int64_t>(samples.size())};
  const std::vector<Var> ends = op::split(logits, {1, 1});
  int64_t begin = 0;
  for (const Sample& sample : samples) {
    const auto length = static_cast<int64_t>(sample.ids.size());
    for (size_t i = 0; i < 2; ++i) {
      const Var column = op::reshape(op::rows(ends[i], begin, begin + length), {1, length});
      const Var loss = row_loss(column, {sample.targets.at(i)}, label_smoothing).mean;
      result.mean = result.mean ? op::add(result.mean, loss) : loss;
    }
    begin += length;
  }
  result.mean = op::scale(result.mean, 0.5f / static_cast<float>(samples.size()));
  return result;
}

std::vector<Sample> take(const Samples& samples, const std::vector<Batches::Pick>& picks) {
  std::vector<Sample> taken;
  for (const Batches::Pick& pick : picks) taken.push_back(samples.at(pick.index, pick.epoch));
  return taken;
}

}  // namespace

BatchLoss batch_loss(const Model& model, const std::vector<Sample>& samples, const ForwardPass& pass,
                     float label_smoothing) {
  const PackedSamples packed = pack(samples, model.blueprint());
  const Var logits = logits_of(model, packed, pass);
  BatchLoss result = model.blueprint().head.kind == HeadKind::answer
                         ? answer_loss(logits, samples, label_smoothing)
                         : row_loss(logits, packed.targets, label_smoothing);
  result.tokens = packed.tokens.ids.numel() + packed.text.ids.numel();
  return result;
}

ModelObjective::ModelObjective(const Model& model, const Samples& training, const Samples* validation,
                               const ModelObjectiveOptions& options)
    : model_(model),
      training_(training),
      validation_(validation),
      options_(options),
      batches_(training, options.batches) {
  const HeadKind head = model.blueprint().head.kind;
  require(head != HeadKind::none && head != HeadKind::embedding,
          "a head of kind none or embedding outputs vectors and has no loss, expected a head that predicts "
          "tokens, "
          "labels or answers");
}

PartialLoss ModelObjective::loss(const MicroBatch& micro_batch) {
  const std::vector<Sample> samples =
      take(training_, batches_.picks(micro_batch.step, micro_batch.index, micro_batch.count));
  if (samples.empty()) return {};
  const BatchLoss result = batch_loss(model_, samples,
                                      {.training = true,
                                       .recompute = options_.recompute,
                                       .bf16 = options_.bf16,
                                       .seed = micro_batch.seed,
                                       .step = micro_batch.number()},
                                      options_.label_smoothing);
  return {.mean = result.mean, .weight = static_cast<double>(result.count), .tokens = result.tokens};
}

std::optional<Validation> ModelObjective::evaluate() {
  if (validation_ == nullptr || validation_->size() == 0) return std::nullopt;
  std::vector<NamedNumber> numbers = tally(model_, *validation_, options_.ranks).numbers();
  return Validation{.loss = numbers.front().second, .more = {numbers.begin() + 1, numbers.end()}};
}

}  // namespace locus
