#include "locus/train/model_objective.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "locus/base/error.h"
#include "locus/nn/generate.h"
#include "locus/op/cross_entropy.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"

namespace locus {
namespace {

constexpr int64_t kTokensAtOnce = 4096;  // in validation: enough to keep all threads busy

struct Packed {
  Tokens tokens, text;
  std::vector<int32_t> targets;
};

Packed pack(const std::vector<Sample>& samples, const Blueprint& blueprint) {
  std::vector<std::vector<int32_t>> ids, texts;
  std::vector<int32_t> targets, segments;
  for (const Sample& sample : samples) {
    ids.push_back(sample.ids);
    texts.push_back(sample.text);
    targets.insert(targets.end(), sample.targets.begin(), sample.targets.end());
    segments.insert(segments.end(), sample.segments.begin(), sample.segments.end());
  }
  Packed packed{.tokens = tokens_of(ids, blueprint), .text = tokens_of(texts, blueprint), .targets = targets};
  if (!segments.empty())
    packed.tokens.segments = Tensor::of({static_cast<int64_t>(segments.size())}, segments);
  return packed;
}

// Rows of logits whose largest is the target's; rows without a target are not looked at.
int64_t right_rows(const Tensor& logits, std::span<const int32_t> targets) {
  const std::vector<float> values = logits.values();
  const size_t width = static_cast<size_t>(logits.shape().cols());
  int64_t right = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] == kernel::kIgnoredTarget) continue;
    const auto row = std::span(values).subspan(i * width, width);
    right += std::ranges::max_element(row) - row.begin() == targets[i] ? 1 : 0;
  }
  return right;
}

Judgement judge_rows(const Var& logits, const std::vector<int32_t>& targets, float smoothing, bool compare) {
  Judgement result{.count =
                       std::ranges::count_if(targets, [](int32_t t) { return t != kernel::kIgnoredTarget; })};
  if (result.count == 0) return result;
  result.mean = op::cross_entropy(logits, Tensor::of({static_cast<int64_t>(targets.size())}, targets),
                                  {.smoothing = smoothing});
  if (compare) result.right = right_rows(logits.value(), targets);
  return result;
}

// Logits [N, 2]: the ends of each sample's answer among its own tokens.
Judgement judge_answers(const Var& logits, const std::vector<Sample>& samples, float smoothing,
                        bool compare) {
  Judgement result{.count = static_cast<int64_t>(samples.size())};
  const std::vector<Var> ends = op::split(logits, {1, 1});
  int64_t begin = 0;
  for (const Sample& sample : samples) {
    const auto length = static_cast<int64_t>(sample.ids.size());
    bool right = true;
    for (size_t i = 0; i < 2; ++i) {
      const Var column = op::reshape(op::rows(ends[i], begin, begin + length), {1, length});
      const Judgement end = judge_rows(column, {sample.targets.at(i)}, smoothing, compare);
      result.mean = result.mean ? op::add(result.mean, end.mean) : end.mean;
      right = right && end.right == 1;
    }
    result.right += right ? 1 : 0;
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

Judgement judge(const Model& model, const std::vector<Sample>& samples, const Pass& pass, float smoothing) {
  const Blueprint& blueprint = model.blueprint();
  const Packed packed = pack(samples, blueprint);
  const bool two = blueprint.kind == ModelKind::encoder_decoder;
  const Var logits = two ? model(packed.text, packed.tokens, pass) : model(packed.tokens, pass);
  const bool compare = !pass.training;
  Judgement result = blueprint.head == HeadKind::answer
                         ? judge_answers(logits, samples, smoothing, compare)
                         : judge_rows(logits, packed.targets, smoothing, compare);
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

PartialLoss ModelObjective::loss(const Share& share) {
  const std::vector<Sample> samples = take(training_, batches_.picks(share.step, share.part, share.parts));
  if (samples.empty()) return {};
  const Judgement result =
      judge(model_, samples,
            {.training = true, .recompute = options_.recompute, .seed = share.seed, .step = share.number()},
            options_.smoothing);
  return {.mean = result.mean, .weight = static_cast<double>(result.count), .tokens = result.tokens};
}

std::optional<Validation> ModelObjective::evaluate() {
  if (validation_ == nullptr || validation_->size() == 0) return std::nullopt;
  const NoGrad guard;
  double total = 0;
  int64_t count = 0, right = 0;
  std::vector<Sample> samples;
  int64_t tokens = 0;
  for (int64_t i = 0; i < validation_->size(); ++i) {
    samples.push_back(validation_->at(i, 0));
    tokens += validation_->length(i);
    const bool last = i + 1 == validation_->size();
    if (!last && tokens + validation_->length(i + 1) <= kTokensAtOnce) continue;
    const Judgement some = judge(model_, std::exchange(samples, {}), {});
    tokens = 0;
    if (some.count == 0) continue;
    total += some.mean.value().item() * static_cast<double>(some.count);
    count += some.count;
    right += some.right;
  }
  require(count > 0, "{}: no sample has a target", validation_->name());
  const double loss = total / static_cast<double>(count);
  Validation validation{.loss = loss,
                        .more = {{"accuracy", static_cast<double>(right) / static_cast<double>(count)}}};
  const HeadKind head = model_.blueprint().head;
  if (head == HeadKind::next_token || head == HeadKind::masked_token) {
    validation.more.emplace_back("perplexity", std::exp(loss));
  }
  return validation;
}

}  // namespace locus
