#include "locus/train/evaluation.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "locus/train/answers.h"
#include "locus/train/packed_samples.h"

namespace locus {
namespace {

constexpr size_t kFewLengths = 12;

double share(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

double majority(const std::vector<Prediction>& predictions) {
  std::map<int32_t, int64_t> counts;
  int64_t most = 0;
  for (const Prediction& one : predictions) most = std::max(most, ++counts[one.target]);
  return share(most, static_cast<int64_t>(predictions.size()));
}

std::vector<Evaluation::Band> bands(const TextTask& task, const std::vector<Prediction>& predictions) {
  const bool causal = task.on_streams() && task.blueprint.kind == ModelKind::decoder;
  const auto length = [&](const Prediction& one) { return causal ? one.position + 1 : one.length; };
  std::set<int64_t> lengths;
  for (const Prediction& one : predictions) lengths.insert(length(one));
  if (lengths.size() < 2) return {};
  const bool few = lengths.size() <= kFewLengths;
  std::map<int64_t, std::vector<Prediction>> groups;  // by the largest length
  for (const Prediction& one : predictions) {
    const int64_t n = length(one);
    groups[few ? n : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)))].push_back(one);
  }
  std::vector<Evaluation::Band> result;
  for (const auto& [most, group] : groups) {
    result.push_back({.least = few || most == 1 ? most : most / 2 + 1,
                      .most = most,
                      .targets = static_cast<int64_t>(group.size()),
                      .numbers = summary(task.blueprint, group)});
  }
  return result;
}

// exact_match and f1 of the answer texts.
std::vector<NamedNumber> answer_scores(const TrainedModel& trained, const Samples& samples,
                                       const std::vector<Question>& questions) {
  const NoGrad guard;
  int64_t exact = 0;
  double f1 = 0;
  each_batch(samples, [&](const std::vector<Sample>& batch, int64_t number) {
    const Tensor logits = logits_of(trained.model(), pack(batch, trained.blueprint())).value();
    int64_t row = 0;
    for (const Sample& sample : batch) {
      const auto end = row + static_cast<int64_t>(sample.ids.size());
      const Question& question = questions[static_cast<size_t>(number++)];
      const TextSpan answer =
          best_answer(logits.rows(row, end), read_question(question, trained.task())).value_or(TextSpan());
      const AnswerScore score =
          score_answer(question.context.substr(answer.begin, answer.end - answer.begin), question.answers);
      exact += score.exact ? 1 : 0;
      f1 += score.f1;
      row = end;
    }
  });
  return {{"exact_match", share(exact, samples.size())}, {"f1", f1 / static_cast<double>(samples.size())}};
}

}  // namespace

Evaluation evaluate(const TrainedModel& trained, const std::filesystem::path& file) {
  const TextTask& task = trained.task();
  const std::unique_ptr<Samples> samples = samples_of(task, file);
  const std::vector<Prediction> predicted = predictions(trained.model(), *samples);
  Evaluation result{.samples = samples->size(),
                    .targets = static_cast<int64_t>(predicted.size()),
                    .numbers = summary(task.blueprint, predicted),
                    .by_length = bands(task, predicted)};
  if (task.blueprint.head == HeadKind::answer) {
    for (NamedNumber& number : answer_scores(trained, *samples, read_questions(file))) {
      result.numbers.push_back(std::move(number));
    }
  } else {
    result.numbers.emplace_back("majority", majority(predicted));
  }
  return result;
}

}  // namespace locus
