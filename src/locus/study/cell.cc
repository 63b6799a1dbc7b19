#include "locus/study/cell.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "locus/op/cross_entropy.h"
#include "locus/study/batch.h"
#include "locus/tensor/storage.h"
#include "locus/train/optimizer.h"
#include "locus/train/schedule.h"

namespace locus::study {
namespace {

constexpr double kTrainingPart = 0.9;  // of a cell's time; the rest is testing

struct Training {
  std::unique_ptr<Model> model;
  double loss = 0, step_seconds = 0;
  int64_t step_bytes = 0;
};

Training train(const Conditions& conditions, const Task& task, const CellName& name,
               const CellProgress& progress) {
  const int64_t steps = conditions.steps * task.effort;
  Training result;
  result.model =
      std::make_unique<Model>(blueprint(conditions, task, name.scheme), Model::Options{.seed = name.seed});
  AdamW optimizer(result.model->parameters(), {.beta2 = 0.98, .weight_decay = 0.01, .clip = 1});
  const Schedule schedule = {
      .rate = conditions.learning_rate, .floor = 0.05, .warmup = steps / 10 + 1, .steps = steps};
  const int64_t tail = std::max<int64_t>(steps / 10, 1);
  std::vector<double> seconds;
  reset_peak_bytes();
  const int64_t before = allocated_bytes();
  for (int64_t step = 1; step <= steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    const Batch data = batch(task, conditions.length, name.seed, List::training,
                             (step - 1) * conditions.batch_size, conditions.batch_size);
    const Var loss = op::cross_entropy((*result.model)(data.tokens), data.targets);
    loss.backward();
    optimizer.step(schedule.at(step));
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (step > steps - tail) result.loss += loss.value().item() / static_cast<double>(tail);
    progress(kTrainingPart * static_cast<double>(step) / static_cast<double>(steps));
  }
  result.step_bytes = peak_bytes() - before;
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<int64_t>(seconds.size() / 2));
  result.step_seconds = seconds[seconds.size() / 2];
  return result;
}

// How many of the rows that are asked have their target as the likeliest.
int64_t count_right(const Tensor& logits, const Tensor& targets) {
  const auto wanted = targets.data<int32_t>();
  const auto all = logits.data<float>();
  const auto V = static_cast<size_t>(logits.size(1));
  int64_t right = 0;
  for (size_t n = 0; n < wanted.size(); ++n) {
    if (wanted[n] == kNothingAsked) continue;
    const auto row = all.subspan(n * V, V);
    right += std::ranges::max_element(row) - row.begin() == wanted[n] ? 1 : 0;
  }
  return right;
}

double score(const Model& model, const Conditions& conditions, const Task& task, uint64_t seed,
             int64_t length) {
  constexpr int64_t kTokensAtOnce = 4096;
  const NoGrad scope;
  const int64_t texts = std::max<int64_t>(conditions.test_tokens / length, 1);
  const int64_t at_once = std::max<int64_t>(kTokensAtOnce / length, 1);
  double loss = 0;
  int64_t asked = 0, right = 0;
  for (int64_t first = 0; first < texts; first += at_once) {
    const Batch data = batch(task, length, seed, List::test, first, std::min(at_once, texts - first));
    const auto targets = data.targets.data<int32_t>();
    const int64_t count = static_cast<int64_t>(targets.size()) - std::ranges::count(targets, kNothingAsked);
    const Var logits = model(data.tokens);
    loss += op::cross_entropy(logits, data.targets).value().item() * static_cast<double>(count);
    right += count_right(logits.value(), data.targets);
    asked += count;
  }
  return task.metric == Metric::perplexity ? std::exp(loss / static_cast<double>(asked))
                                           : static_cast<double>(right) / static_cast<double>(asked);
}

// The trained parameters in a model whose scheme has other options.
Model with_options(const Model& trained, const Conditions& conditions, const Task& task, const CellName& name,
                   const OptionValues& options) {
  Model model(blueprint(conditions, task, name.scheme, options), Model::Options{.seed = std::nullopt});
  for (const NamedParameter& parameter : model.parameters().all()) {
    Tensor value = parameter.var.value();
    value.copy_from(trained.parameters().at(parameter.name).value());
  }
  return model;
}

// A scheme may have nothing to say about positions it never saw: that is a result, not a failure.
Score test(const Model& model, const Conditions& conditions, const Task& task, const CellName& name,
           int64_t length) {
  try {
    const double value = score(model, conditions, task, name.seed, length);
    return {length, value, std::string(std::isnan(value) ? kNoNumber : "")};
  } catch (const Error& error) {
    if (error.fault() != Fault::data || length <= conditions.length) throw;
    return {length, std::numeric_limits<double>::quiet_NaN(), error.what()};
  }
}

std::vector<Row> test_all(const Model& model, const Conditions& conditions, const Task& task,
                          const CellName& name) {
  std::vector<Row> rows(1);
  for (const int64_t length : conditions.test_lengths())
    rows[0].scores.push_back(test(model, conditions, task, name, length));
  for (const Extension& extension : scheme_info(name.scheme).extensions) {
    Row& row = rows.emplace_back(Row{std::string(extension.name), {}});
    for (size_t i = 0; i < rows[0].scores.size(); ++i) {
      const int64_t length = rows[0].scores[i].length;
      row.scores.push_back(length <= conditions.length
                               ? rows[0].scores[i]  // nothing to stretch
                               : test(with_options(model, conditions, task, name,
                                                   extended(extension, conditions.length, length)),
                                      conditions, task, name, length));
    }
  }
  return rows;
}

int64_t scheme_parameters(const Model& model) {
  int64_t total = 0;
  for (const NamedParameter& parameter : model.parameters().all()) {
    if (parameter.name.find(".scheme.") != std::string::npos) total += parameter.var.value().numel();
  }
  return total;
}

}  // namespace

std::string CellName::text() const { return fmt::format("{}.{}.{}", task, scheme, seed); }

Finished run_cell(const Conditions& conditions, const Task& task, const CellName& name,
                  const CellProgress& progress) {
  Training training = train(conditions, task, name, progress);
  Cell cell = {.name = name,
               .rows = test_all(*training.model, conditions, task, name),
               .loss = training.loss,
               .parameters = scheme_parameters(*training.model),
               .step_seconds = training.step_seconds,
               .step_bytes = training.step_bytes};
  progress(1);
  return {std::move(cell), std::move(training.model)};
}

}  // namespace locus::study
