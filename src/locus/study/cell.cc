#include "locus/study/cell.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "locus/base/parallel.h"
#include "locus/op/cross_entropy.h"
#include "locus/study/batch.h"
#include "locus/study/scheme_choice.h"
#include "locus/tensor/storage.h"
#include "locus/train/optimizer.h"
#include "locus/train/schedule.h"

namespace locus::study {
namespace {

constexpr double kTrainingShare = 0.9;  // of a cell's time; the rest is testing

struct Training {
  std::unique_ptr<Model> model;
  double loss = 0, step_seconds = 0;
  int64_t step_bytes = 0;
};

Training train(const Conditions& conditions, const Task& task, const CellName& name,
               const CellProgress& progress) {
  const int64_t steps = conditions.steps * task.effort;
  Training result;
  result.model = std::make_unique<Model>(blueprint(conditions, task, name.scheme),
                                         Model::Options{.seed = name.seed, .device = conditions.device});
  AdamW optimizer(result.model->parameters(), {.beta2 = 0.98, .weight_decay = 0.01, .clip = 1});
  const Schedule schedule = {
      .rate = conditions.learning_rate, .floor = 0.05, .warmup = steps / 10 + 1, .steps = steps};
  const int64_t tail = std::max<int64_t>(steps / 10, 1);
  std::vector<double> seconds;
  std::vector<Tensor> last;  // losses, read when all is done: reading them waits for the device
  reset_peak_bytes(conditions.device);
  const int64_t before = allocated_bytes(conditions.device);
  for (int64_t step = 1; step <= steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    const Batch data = batch(task, conditions.length, name.seed, List::training,
                             (step - 1) * conditions.batch_size, conditions.batch_size);
    const Var loss = op::cross_entropy((*result.model)(data.tokens), data.targets);
    loss.backward();
    optimizer.step(schedule.at(step));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    seconds.push_back(std::max(spent.count(), kLeastStepSeconds));  // a coarse clock
    if (step > steps - tail) last.push_back(loss.value());
    progress(kTrainingShare * static_cast<double>(step) / static_cast<double>(steps));
  }
  for (const Tensor& loss : last) result.loss += loss.on_host().item() / static_cast<double>(tail);
  // The counters are the process's. Where several cells train in one process, another's may have shrunk them.
  result.step_bytes = std::max<int64_t>(peak_bytes(conditions.device) - before, 0);
  const size_t tenth = seconds.size() / 10;
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<int64_t>(tenth));
  result.step_seconds = seconds[tenth];
  return result;
}

// Sums over the tokens of a test.
struct Totals {
  int64_t targets = 0, correct = 0;
  double loss = 0;
  std::vector<PositionLoss> bins;  // sums of losses until the end of the test
  std::vector<int64_t> counts;     // targets per bin
};

struct TokenResult {
  double loss = 0;  // -ln softmax(row)[target]
  bool correct = false;
};

TokenResult token_result(std::span<const float> row, int32_t target) {
  const auto largest = std::ranges::max_element(row);
  double sum = 0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit) - *largest);
  return {std::log(sum) + *largest - static_cast<double>(row[static_cast<size_t>(target)]),
          largest - row.begin() == target};
}

// Zeros where there is no target. Rows are as long as the vocabulary, so that all threads share the work.
std::vector<TokenResult> token_results(const Tensor& logits, std::span<const int32_t> wanted) {
  const auto all = logits.data<float>();
  const auto V = static_cast<size_t>(logits.size(1));
  std::vector<TokenResult> results(wanted.size());
  constexpr int64_t kGrain = 64;
  parallel_for(static_cast<int64_t>(wanted.size()), kGrain, [&](int64_t begin, int64_t end) {
    for (auto n = static_cast<size_t>(begin); n < static_cast<size_t>(end); ++n) {
      if (wanted[n] != kIgnored) results[n] = token_result(all.subspan(n * V, V), wanted[n]);
    }
  });
  return results;
}

// Adds the tokens of a batch whose texts all have `length` tokens.
void add(Totals& totals, const Tensor& logits, const Indices& targets, int64_t length) {
  const auto wanted = targets.values();
  const std::vector<TokenResult> results = token_results(logits, wanted);
  size_t bin = 0;
  for (size_t n = 0; n < wanted.size(); ++n) {
    const auto position = static_cast<int64_t>(n) % length;
    if (position == 0) bin = 0;
    while (position >= totals.bins[bin].end) ++bin;
    if (wanted[n] == kIgnored) continue;
    totals.correct += results[n].correct ? 1 : 0;
    totals.loss += results[n].loss;
    totals.bins[bin].loss += results[n].loss;
    ++totals.counts[bin];
    ++totals.targets;
  }
}

Totals test_texts(const Model& model, const Conditions& conditions, const Task& task, uint64_t seed,
                  int64_t length) {
  const NoGrad scope;
  const int64_t texts = std::max<int64_t>(conditions.test_tokens / length, 1);
  const int64_t batch_size = texts_in_test_batch(length);
  Totals totals{.bins = position_bins(conditions.length, length)};
  totals.counts.resize(totals.bins.size());
  for (int64_t first = 0; first < texts; first += batch_size) {
    const Batch data = batch(task, length, seed, List::test, first, std::min(batch_size, texts - first));
    add(totals, model(data.tokens).value().on_host(), data.targets, length);
  }
  for (size_t i = 0; i < totals.bins.size(); ++i)
    totals.bins[i].loss /= static_cast<double>(totals.counts[i]);
  return totals;
}

// The trained parameters in a model whose scheme has other options.
Model with_options(const Model& trained, const Conditions& conditions, const Task& task, const CellName& name,
                   const OptionValues& options) {
  Model model(blueprint(conditions, task, name.scheme, options),
              Model::Options{.seed = std::nullopt, .device = conditions.device});
  for (const NamedParameter& parameter : model.parameters().all()) {
    Tensor value = parameter.var.value();
    value.copy_from(trained.parameters().at(parameter.name).value());
  }
  return model;
}

// Adds the score at one length to a row. A scheme that is not defined past the trained length has a score
// without a value there: a result, not a failure.
void test(Row& row, const Model& model, const Conditions& conditions, const Task& task, const CellName& name,
          int64_t length) {
  try {
    Totals totals = test_texts(model, conditions, task, name.seed, length);
    const auto targets = static_cast<double>(totals.targets);
    const double value = task.metric == Metric::perplexity ? std::exp(totals.loss / targets)
                                                           : static_cast<double>(totals.correct) / targets;
    row.scores.push_back({length, value, std::string(std::isnan(value) ? kNotFinite : "")});
    if (!std::isnan(value)) row.by_position = std::move(totals.bins);
  } catch (const Error& error) {
    if (error.fault() != Fault::data || length <= conditions.length) throw;
    row.scores.push_back({length, std::numeric_limits<double>::quiet_NaN(), error.what()});
  }
}

int64_t scheme_parameters(const Model& model) {
  int64_t total = 0;
  for (const NamedParameter& parameter : model.parameters().all()) {
    const bool own = parameter.owner == Owner::scheme || parameter.owner == Owner::global_scheme;
    if (own) total += parameter.var.value().numel();
  }
  return total;
}

}  // namespace

std::vector<Row> tested(const Model& model, const Conditions& conditions, const Task& task,
                        const CellName& name) {
  std::vector<Row> rows(1);
  const std::vector<int64_t> lengths = conditions.test_lengths();
  for (const int64_t length : lengths) test(rows[0], model, conditions, task, name, length);
  for (const Extension& extension : scheme_choice(name.scheme).extensions()) {
    Row& row = rows.emplace_back(Row{std::string(extension.name), {}, rows[0].by_position});
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] <= conditions.length) {  // the extension changes nothing
        row.scores.push_back(rows[0].scores[i]);
        continue;
      }
      const OptionValues options = extended(extension, conditions.length, lengths[i]);
      test(row, with_options(model, conditions, task, name, options), conditions, task, name, lengths[i]);
    }
  }
  return rows;
}

int64_t texts_in_test_batch(int64_t length) {
  constexpr int64_t kTokens = 4096;
  return std::max<int64_t>(kTokens / length, 1);
}

std::vector<PositionLoss> position_bins(int64_t trained, int64_t length) {
  constexpr int64_t kFirst = 8;  // shorter bins would be noise
  std::vector<int64_t> bounds = {trained, length};
  for (int64_t power = kFirst; power < length; power *= 2) {
    bounds.push_back(power);
    bounds.push_back(power + power / 2);
  }
  std::ranges::sort(bounds);
  std::vector<PositionLoss> bins;
  for (const int64_t end : bounds) {
    const int64_t begin = bins.empty() ? 0 : bins.back().end;
    if (begin < end && end <= length) bins.push_back({begin, end, 0});
  }
  return bins;
}

std::string CellName::text() const { return fmt::format("{}.{}.{}", task, scheme, seed); }

Finished run_cell(const Conditions& conditions, const Task& task, const CellName& name,
                  const CellProgress& progress) {
  Training training = train(conditions, task, name, progress);
  Cell cell = {.name = name,
               .rows = tested(*training.model, conditions, task, name),
               .loss = training.loss,
               .parameters = scheme_parameters(*training.model),
               .step_seconds = training.step_seconds,
               .step_bytes = training.step_bytes};
  progress(1);
  return {std::move(cell), std::move(training.model)};
}

}  // namespace locus::study
