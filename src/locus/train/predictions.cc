#include "locus/train/predictions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/dist/handshake.h"
#include "locus/nn/head.h"
#include "locus/nn/transformer.h"
#include "locus/op/gather.h"
#include "locus/train/packed_samples.h"

namespace locus {
namespace {

constexpr int64_t kBatchTokens = 4096;
constexpr int64_t kMostLogits = int64_t{1} << 25;  // at a time, for heads over a vocabulary

// What the logits of all classes predict for a target.
void predict(std::span<const float> logits, Prediction& prediction) {
  const auto most = std::ranges::max_element(logits);
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - *most);
  prediction.predicted = static_cast<int32_t>(most - logits.begin());
  prediction.loss = std::log(total) + *most - logits[static_cast<size_t>(prediction.target)];
}

// Logits [N, 2] over the tokens of a sample: start and end of the answer are each a softmax over them.
void predict_ends(std::span<const float> logits, std::span<Prediction> ends) {
  std::vector<float> column(logits.size() / 2);
  for (size_t end = 0; end < 2; ++end) {
    for (size_t i = 0; i < column.size(); ++i) column[i] = logits[2 * i + end];
    predict(column, ends[end]);
  }
}

// The targets of a batch, in the order of its samples.
struct Targets {
  std::vector<Prediction> predictions;  // of which the model's part is missing
  std::vector<int32_t> rows;            // the row of the batch that makes each prediction
};

// A sample of a sequence head has one row, the sample itself; of other heads, a row for each token.
Targets targets_of(const std::vector<Sample>& batch, int64_t number, HeadKind head) {
  Targets result;
  int32_t row = 0;
  for (const Sample& sample : batch) {
    const size_t length = sample.text.empty() ? sample.ids.size() : sample.text.size();
    for (size_t i = 0; i < sample.targets.size(); ++i) {
      if (sample.targets[i] == kernel::kIgnoredTarget) continue;
      result.predictions.push_back({.sample = number,
                                    .length = static_cast<int64_t>(length),
                                    .position = static_cast<int64_t>(i),
                                    .target = sample.targets[i]});
      result.rows.push_back(row + static_cast<int32_t>(i));
    }
    row += static_cast<int32_t>(head == HeadKind::answer ? sample.ids.size() : sample.targets.size());
    ++number;
  }
  return result;
}

// The hidden states of a batch, for a head that is applied row by row.
Var hidden_of(const Model& model, const PackedSamples& packed) {
  const Transformer& transformer = model.transformer();
  if (model.blueprint().kind != ModelKind::encoder_decoder) return transformer(packed.tokens);
  return transformer.decode(packed.tokens, transformer.encode(packed.text));
}

// Row i of the logits makes prediction i.
void predict_rows(const Tensor& logits, std::span<Prediction> predictions) {
  const auto width = static_cast<size_t>(logits.shape().cols());
  const Tensor here = logits.on_host();
  const auto values = here.data<float>();
  for (const Prediction& one : predictions) {
    require(static_cast<size_t>(one.target) < width, Code::bad_token,
            "a target is {}, expected 0 to {}, as the model predicts", one.target, width - 1);
  }
  parallel_for(std::ssize(predictions), 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      predict(values.subspan(static_cast<size_t>(i) * width, width), predictions[static_cast<size_t>(i)]);
    }
  });
}

void predict_batch(const Model& model, const std::vector<Sample>& batch, Targets& targets) {
  const Blueprint& b = model.blueprint();
  const PackedSamples packed = pack(batch, b);
  const std::span<Prediction> predictions = targets.predictions;
  if (b.head.kind == HeadKind::answer) {
    const Tensor logits = logits_of(model, packed).value().on_host();
    for (size_t i = 0; i < batch.size(); ++i) {
      const auto first = static_cast<size_t>(targets.rows[2 * i]);
      predict_ends(logits.data<float>().subspan(2 * first, 2 * batch[i].ids.size()),
                   predictions.subspan(2 * i, 2));
    }
    return;
  }
  const bool tokens = predicts_tokens(b.head.kind);
  const Var source = tokens ? hidden_of(model, packed) : logits_of(model, packed);
  const auto most = static_cast<size_t>(tokens ? std::max<int64_t>(1, kMostLogits / b.vocabulary)
                                               : std::ssize(predictions));
  for (size_t begin = 0; begin < predictions.size(); begin += most) {
    const size_t size = std::min(most, predictions.size() - begin);
    const Tensor ids = Tensor::of({static_cast<int64_t>(size)}, std::span(targets.rows).subspan(begin, size));
    const Var rows = op::gather(source, ids);
    predict_rows((tokens ? model.head()(rows, packed.tokens.placement) : rows).value(),
                 predictions.subspan(begin, size));
  }
}

// A batch of consecutive samples: [begin, end).
struct BatchRange {
  int64_t begin, end;
};

std::vector<BatchRange> batch_ranges(const Samples& samples) {
  std::vector<BatchRange> ranges;
  int64_t begin = 0, tokens = 0;
  for (int64_t i = 0; i < samples.size(); ++i) {
    tokens += samples.length(i);
    const bool last = i + 1 == samples.size();
    if (!last && tokens + samples.length(i + 1) <= kBatchTokens) continue;
    ranges.push_back({begin, i + 1});
    begin = i + 1;
    tokens = 0;
  }
  return ranges;
}

std::vector<Sample> samples_in(const Samples& samples, const BatchRange& range) {
  std::vector<Sample> batch;
  for (int64_t i = range.begin; i < range.end; ++i) batch.push_back(samples.at(i, 0));
  return batch;
}

std::vector<Prediction> predictions_of(const Model& model, const Samples& samples, const BatchRange& range) {
  const std::vector<Sample> batch = samples_in(samples, range);
  Targets targets = targets_of(batch, range.begin, model.blueprint().head.kind);
  if (!targets.rows.empty()) predict_batch(model, batch, targets);
  return targets.predictions;
}

// Those of all ranks, one rank after the other.
std::vector<Prediction> gathered(const std::vector<Prediction>& mine, dist::Transport& ranks) {
  static_assert(std::is_trivially_copyable_v<Prediction>);
  const auto raw = std::as_bytes(std::span(mine));
  const std::vector<std::string> texts =
      dist::gather_texts(ranks, std::string(reinterpret_cast<const char*>(raw.data()), raw.size()));
  std::vector<Prediction> all;
  for (const std::string& text : texts) {
    const size_t before = all.size();
    all.resize(before + text.size() / sizeof(Prediction));
    std::memcpy(all.data() + before, text.data(), (all.size() - before) * sizeof(Prediction));
  }
  return all;
}

}  // namespace

void require_finite(const Prediction& prediction, const Samples& samples) {
  if (std::isfinite(prediction.loss)) return;
  fail(Fault::data,
       "{}: the model computes NaN or infinity for target {} of sample {}, expected finite numbers; its "
       "weights may be damaged",
       samples.name(), prediction.position + 1, prediction.sample + 1);
}

void each_batch(const Samples& samples,
                const std::function<void(const std::vector<Sample>& batch, int64_t first)>& f) {
  for (const BatchRange& range : batch_ranges(samples)) f(samples_in(samples, range), range.begin);
}

void each_prediction(const Model& model, const Samples& samples,
                     const std::function<void(const Prediction&)>& f, const SampleProgress& progress,
                     dist::Transport* ranks) {
  const NoGrad guard;
  const size_t stride = ranks == nullptr ? 1 : static_cast<size_t>(ranks->size());
  const size_t own = ranks == nullptr ? 0 : static_cast<size_t>(ranks->rank());
  const std::vector<BatchRange> ranges = batch_ranges(samples);
  bool any = false;
  for (size_t round = 0; round < ranges.size(); round += stride) {
    std::vector<Prediction> predictions;
    if (round + own < ranges.size()) predictions = predictions_of(model, samples, ranges[round + own]);
    if (stride > 1) predictions = gathered(predictions, *ranks);
    any = any || !predictions.empty();
    for (const Prediction& one : predictions) f(one);
    if (progress) progress(ranges[std::min(round + stride, ranges.size()) - 1].end, samples.size());
  }
  require(any, "{}: no sample has a target, expected at least one", samples.name());
}

}  // namespace locus
