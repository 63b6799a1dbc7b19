#include "locus/train/model_objective.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/op/cross_entropy.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"
#include "locus/train/packed_samples.h"
#include "locus/train/predictions.h"

namespace locus {
namespace {

BatchLoss judge_rows(const Var& logits, const std::vector<int32_t>& targets, float smoothing) {
  BatchLoss result{.count =
                       std::ranges::count_if(targets, [](int32_t t) { return t != kernel::kIgnoredTarget; })};
  if (result.count == 0) return result;
  result.mean = op::cross_entropy(logits, Tensor::of({static_cast<int64_t>(targets.size())}, targets),
                                  {.smoothing = smoothing});
  return result;
}

// Logits [N, 2]: the ends of each sample's answer among its own tokens.
BatchLoss judge_answers(const Var& logits, const std::vector<Sample>& samples, float smoothing) {
  BatchLoss result{.count = static_cast<int64_t>(samples.size())};
  const std::vector<Var> ends = op::split(logits, {1, 1});
  int64_t begin = 0;
  for (const Sample& sample : samples) {
    const auto length = static_cast<int64_t>(sample.ids.size());
    for (size_t i = 0; i < 2; ++i) {
      const Var column = op::reshape(op::rows(ends[i], begin, begin + length), {1, length});
      const Var loss = judge_rows(column, {sample.targets.at(i)}, smoothing).mean;
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
                     float smoothing) {
  const PackedSamples packed = pack(samples, model.blueprint());
  const Var logits = logits_of(model, packed, pass);
  BatchLoss result = model.blueprint().head == HeadKind::answer
                         ? judge_answers(logits, samples, smoothing)
                         : judge_rows(logits, packed.targets, smoothing);
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
  const HeadKind head = model.blueprint().head;
  require(head != HeadKind::none && head != HeadKind::embedding,
          "a model whose head puts out vectors has no loss; expected a head that predicts something");
}

PartialLoss ModelObjective::loss(const MicroBatch& micro_batch) {
  const std::vector<Sample> samples =
      take(training_, batches_.picks(micro_batch.step, micro_batch.index, micro_batch.count));
  if (samples.empty()) return {};
  const BatchLoss result = batch_loss(model_, samples,
                                      {.training = true,
                                       .recompute = options_.recompute,
                                       .seed = micro_batch.seed,
                                       .step = micro_batch.number()},
                                      options_.smoothing);
  return {.mean = result.mean, .weight = static_cast<double>(result.count), .tokens = result.tokens};
}

std::optional<Validation> ModelObjective::evaluate() {
  if (validation_ == nullptr || validation_->size() == 0) return std::nullopt;
  std::vector<NamedNumber> numbers = summary(model_.blueprint(), predictions(model_, *validation_));
  return Validation{.loss = numbers.front().second, .more = {numbers.begin() + 1, numbers.end()}};
}

}  // namespace locus
