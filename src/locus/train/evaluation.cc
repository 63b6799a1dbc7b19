#include "locus/train/evaluation.h"

#include <algorithm>
#include <bit>
#include <map>

#include "locus/base/error.h"
#include "locus/nn/blueprint_fields.h"
#include "locus/train/answers.h"
#include "locus/train/evaluated_text.h"
#include "locus/train/packed_samples.h"
#include "locus/train/tally.h"
#include "locus/train/task_samples.h"

namespace locus {
namespace {

constexpr size_t kFewLengths = 12;

double share(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// The tallies of all predictions, and by length.
class Tallies {
 public:
  explicit Tallies(const TextTask& task)
      : blueprint_(task.blueprint),
        by_position_(task.on_streams() && task.blueprint.kind == ModelKind::decoder),
        all_(task.blueprint) {}

  void add(const Prediction& one) {
    all_.add(one);
    lengths_.try_emplace(by_position_ ? one.position + 1 : one.length, blueprint_).first->second.add(one);
    ++targets_[one.target];
  }

  const Tally& all() const { return all_; }

  double majority() const {
    int64_t most = 0;
    for (const auto& [target, count] : targets_) most = std::max(most, count);
    return share(most, all_.targets());
  }

  std::vector<Evaluation::Band> bands() const {
    if (lengths_.size() < 2) return {};
    const bool few = lengths_.size() <= kFewLengths;
    std::map<int64_t, Tally> groups;  // by the largest length
    for (const auto& [length, tally] : lengths_) {
      const auto most = few ? length : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length)));
      groups.try_emplace(most, blueprint_).first->second.add(tally);
    }
    std::vector<Evaluation::Band> result;
    for (const auto& [most, tally] : groups) {
      result.push_back({.least = few || most == 1 ? most : most / 2 + 1,
                        .most = most,
                        .targets = tally.targets(),
                        .numbers = tally.numbers()});
    }
    return result;
  }

 private:
  const Blueprint& blueprint_;
  bool by_position_;
  Tally all_;
  std::map<int64_t, Tally> lengths_;
  std::map<int32_t, int64_t> targets_;  // how often each occurs
};

// exact_match and f1 of the answer texts.
std::vector<NamedNumber> answer_scores(const Model& model, const TextTask& task, const Samples& samples,
                                       const std::vector<Question>& questions) {
  const NoGrad guard;
  int64_t exact = 0;
  double f1 = 0;
  each_batch(samples, [&](const std::vector<Sample>& batch, int64_t number) {
    const Tensor logits = logits_of(model, pack(batch, task.blueprint)).value().on_host();
    int64_t row = 0;
    for (const Sample& sample : batch) {
      const auto end = row + static_cast<int64_t>(sample.ids.size());
      const Question& question = questions[static_cast<size_t>(number++)];
      const TextSpan answer =
          best_answer(logits.rows(row, end), read_question(question, task)).value_or(TextSpan());
      const AnswerScore score =
          score_answer(question.context.substr(answer.begin, answer.end - answer.begin), question.answers);
      exact += score.exact ? 1 : 0;
      f1 += score.f1;
      row = end;
    }
  });
  return {{"exact_match", share(exact, samples.size())}, {"f1", f1 / static_cast<double>(samples.size())}};
}

// Losses and accuracies are those of one class of several.
void require_classes(const TrainedModel& trained) {
  const Blueprint& b = trained.blueprint();
  if (b.head.kind == HeadKind::none || b.head.kind == HeadKind::embedding) {
    fail({Fault::data, Code::wrong_head},
         "model in '{}' cannot be evaluated: its head is {}, expected a head that predicts tokens, "
         "labels or answers",
         trained.folder().string(), field_values(b).at("head"));
  }
  constexpr std::string_view kField = "problem_type", kSingle = "single_label_classification";
  if (!trained.hub() || b.head.kind != HeadKind::sequence_class) return;
  const std::string problem = trained.hub()->config.text(kField, b.head.labels == 1 ? "regression" : kSingle);
  require(problem == kSingle, Code::unsupported_field,
          "model in '{}' cannot be evaluated: its problem_type is {}, expected {}", trained.folder().string(),
          problem, kSingle);
}

}  // namespace

Evaluation evaluate(const TrainedModel& trained, const std::filesystem::path& file,
                    const EvaluationOptions& options) {
  require_classes(trained);
  TextTask task = trained.task();
  task.data.truncate = task.data.truncate || options.truncate;
  std::optional<EvaluatedText> text;
  if (task.on_streams()) text = read_text(task, file);
  const std::unique_ptr<Samples> samples = text ? window_samples(task, text->tokens) : samples_of(task, file);
  Tallies tallies(task);
  each_prediction(
      trained.model(), *samples,
      [&](const Prediction& one) {
        require_finite(one, *samples);
        tallies.add(one);
      },
      options.progress);
  const Tally& all = tallies.all();
  Evaluation result{.samples = samples->size(),
                    .targets = all.targets(),
                    .numbers = all.numbers(),
                    .by_length = tallies.bands()};
  if (text && task.blueprint.head.kind == HeadKind::next_token) {
    result.numbers.emplace_back("bits_per_byte", text->bits_per_byte(all.loss()));
  }
  if (const int64_t bytes = task.on_pairs() ? target_bytes(task, file) : 0; bytes > 0) {
    result.numbers.emplace_back("bits_per_byte", bits_per_byte(all.loss(), all.targets(), bytes));
  }
  if (task.blueprint.head.kind == HeadKind::answer) {
    for (NamedNumber& number : answer_scores(trained.model(), task, *samples, read_questions(file))) {
      result.numbers.push_back(std::move(number));
    }
  } else {
    result.numbers.emplace_back("majority", tallies.majority());
  }
  return result;
}

}  // namespace locus
