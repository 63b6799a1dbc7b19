#include "locus/apply/answerer.h"

#include <algorithm>

#include "locus/nn/sampling.h"

namespace locus {
namespace {

// Each window has the question, all special tokens, and a part of the context.
std::vector<Encoding> windows_of(const Encoding& whole, const AnswerOptions& options, int64_t longest) {
  const auto most = static_cast<size_t>(std::min(options.window, longest));
  const auto context = static_cast<size_t>(std::ranges::count(whole.texts, int8_t{1}));
  const auto first = static_cast<size_t>(std::ranges::find(whole.texts, int8_t{1}) - whole.texts.begin());
  const size_t around = whole.size() - context;
  require(around < most,
          "the question and the special tokens have {} tokens, expected fewer than the window of {} tokens",
          around, most);
  const size_t room = most - around;
  const size_t step = room - std::min(static_cast<size_t>(options.overlap), room / 2);
  std::vector<Encoding> windows;
  for (size_t begin = 0; begin == 0 || begin + room < context + step; begin += step) {
    Encoding& window = windows.emplace_back();
    window.append(whole, 0, first);
    window.append(whole, first + begin, first + std::min(begin + room, context));
    window.append(whole, first + context, whole.size());
  }
  return windows;
}

// The best span of a window.
struct Reading {
  double best = 0, none = 0;   // scores of the span, and of "no answer"
  size_t first = 0, last = 0;  // tokens
};

Reading read_window(const Encoding& window, std::span<const float> logits, size_t longest) {
  std::vector<size_t> tokens = {0};  // candidates for start and end; token 0 means "no answer"
  for (size_t i = 1; i < window.size(); ++i) {
    if (window.texts[i] == 1) tokens.push_back(i);
  }
  std::vector<float> starts, ends;
  for (const size_t i : tokens) {
    starts.push_back(logits[2 * i]);
    ends.push_back(logits[2 * i + 1]);
  }
  const std::vector<double> start = probabilities(starts), end = probabilities(ends);
  Reading reading{.none = start[0] * end[0]};
  for (size_t i = 1; i < tokens.size(); ++i) {
    for (size_t j = i; j < std::min(i + longest, tokens.size()); ++j) {
      const double score = start[i] * end[j];
      if (score > reading.best) reading = {score, reading.none, tokens[i], tokens[j]};
    }
  }
  return reading;
}

}  // namespace

Answerer::Answerer(const std::filesystem::path& folder, DType weights, Device device)
    : Answerer(TextModel(folder, weights, device)) {}
Answerer::Answerer(TextModel model) : model_(std::move(model)) {
  model_.require_head(HeadKind::answer, "answer questions");
}

TextRows Answerer::compute(const Tokens& texts) const { return rows_of_tokens(model_(texts).value(), texts); }

std::vector<FoundAnswer> Answerer::answer(ListView<QuestionInput> questions, const AnswerOptions& answer,
                                          const ReadOptions& options) const {
  require(answer.window > 0 && answer.overlap >= 0 && answer.longest > 0,
          "answer: window is {}, overlap {} and longest {}, expected positive numbers", answer.window,
          answer.overlap, answer.longest);
  std::vector<std::vector<Encoding>> by_question(questions.size());
  encode_each(questions.size(), options, [&](size_t i) {
    by_question[i] =
        windows_of(model_.encode({questions[i].question, questions[i].context}), answer, model_.longest());
    return Encoding();
  });
  if (options.check_only) return std::vector<FoundAnswer>(questions.size());
  std::vector<Encoding> windows;
  std::vector<size_t> owner;
  for (size_t i = 0; i < by_question.size(); ++i) {
    owner.insert(owner.end(), by_question[i].size(), i);
    std::ranges::move(by_question[i], std::back_inserter(windows));
  }
  std::vector<Reading> readings(windows.size());
  std::vector<std::optional<Error>> errors(questions.size());
  const ReadOptions reading = {.batch_tokens = options.batch_tokens,
                               .on_bad = [&](size_t w, const Error& error) { errors[owner[w]] = error; },
                               .compute = options.compute};
  read_batches(model_, windows, reading, TextPass::of<&Answerer::compute>(*this),
               [&](size_t w, std::span<const float> own) {
                 readings[w] = read_window(windows[w], own, static_cast<size_t>(answer.longest));
               });
  report_bad(errors, options);
  std::vector<FoundAnswer> result(questions.size());
  std::vector<double> none(questions.size(), 1);
  for (size_t w = 0; w < windows.size(); ++w) {
    FoundAnswer& one = result[owner[w]];
    none[owner[w]] = std::min(none[owner[w]], readings[w].none);
    if (readings[w].best <= one.score) continue;
    const std::vector<TextSpan>& offsets = windows[w].offsets;
    one = {true, readings[w].best, {offsets[readings[w].first].begin, offsets[readings[w].last].end}};
  }
  for (size_t i = 0; i < questions.size(); ++i) {
    if (by_question[i].empty()) continue;  // could not be read
    if (errors[i]) {
      result[i] = {};
    } else if (none[i] > result[i].score) {
      result[i] = {.score = none[i]};
    }
  }
  return result;
}

}  // namespace locus
