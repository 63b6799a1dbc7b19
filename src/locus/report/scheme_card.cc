#include "locus/report/scheme_card.h"

#include "locus/report/repeated_word.h"
#include "locus/report/scheme_figures.h"
#include "locus/study/batch.h"

namespace locus::report {
namespace {

constexpr int64_t kShown = 24;  // tokens of the example in the attention figure

Figure attention_of(const Model& model, const study::Task& task, int64_t length) {
  const NoGrad scope;
  Trace trace;
  ForwardPass pass;
  pass.trace = &trace;
  model.hidden(study::batch(task, std::min(length, kShown), 1, study::List::test, 0, 1).tokens, pass);
  return attention_figure(
      trace.weights.back(), "Attention of the trained model",
      fmt::format("Weights of the last layer on a text of the task {}, one map per head.", task.title));
}

}  // namespace

SchemeCard scheme_card(const study::Study& study, const std::filesystem::path& folder,
                       const study::SchemeChoice& choice) {
  const study::Task& task = *study.task_list().front();
  const study::Conditions& c = study.conditions;
  SchemeCard card{choice.word(), {}, {}};
  const Model model = study::read_model(study, folder, {std::string(task.name), card.scheme, 1});
  const Probe probe(model, task.kind == ModelKind::decoder ? Probe::Part::decoder : Probe::Part::encoder);
  card.figures = scheme_figures(probe, choice.info->extrapolates ? 2 * c.length : c.length);
  card.figures.push_back(attention_of(model, task, c.length));
  const std::vector<std::string> words = words_of(kSentence);
  const std::vector<int32_t> ids = number_words(words);
  if (std::ranges::max(ids) < task.vocabulary && static_cast<int64_t>(ids.size()) <= c.length) {
    const auto [first, second] = find_repeated(words, "it");
    card.repeated_word = sentences(compare_occurrences(model, ids, words, first, second));
    card.repeated_word.insert(card.repeated_word.begin(),
                              fmt::format("The sentence, in tokens of the trained model: \"{}\"", kSentence));
    if (task.kind == ModelKind::decoder) {
      card.repeated_word.emplace_back(
          "The model is causal: each \"it\" attends only to the words before it, so the two differ even "
          "without a "
          "scheme.");
    }
  }
  return card;
}

}  // namespace locus::report
