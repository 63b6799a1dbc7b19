// Pipelines of classifiers, taggers, fillers and answerers.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "locus/apply/span_unit.h"
#include "locus/apply/zero_shot.h"
#include "locus/base/quote.h"
#include "locus/serve/pipelines.h"
#include "locus/serve/refused.h"
#include "locus/text/readable.h"

namespace locus::serve {
namespace {

std::string ranked_json(const std::vector<std::string>& labels, const std::vector<double>& scores,
                        size_t top) {
  std::vector<size_t> order(labels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return scores[i]; });
  order.resize(std::min(top, order.size()));
  std::vector<std::string> items;
  for (const size_t i : order) {
    items.push_back(json::object({{"label", json::text(labels[i])}, {"score", json::number(scores[i])}}));
  }
  return json::list(items);
}

size_t read_top(Fields& parameters, size_t preset) {
  const auto top = parameters.integer("top_k", 1, kMostCount);
  return top ? static_cast<size_t>(*top) : preset;
}

// The tokens of "targets". Each must be one token.
std::vector<int32_t> read_targets(const Call& call, Fields& parameters) {
  std::vector<int32_t> ids;
  if (!parameters.find("targets")) return ids;
  const std::vector<std::string> targets = parameters.one_or_more("targets");
  check_count(call, "parameters.targets", targets.size());
  const Tokenizer& tokenizer = call.heads.model().tokenizer();
  for (const std::string& target : targets) {
    const std::vector<int32_t> tokens = tokenizer.encode(target);
    // An unknown word is a special token without text.
    if (tokens.size() != 1 || tokenizer.decode_text(tokens).empty()) {
      throw Refused(kInvalid, fmt::format("the target {} is not a token of the vocabulary", quote(target)),
                    "parameters.targets");
    }
    if (std::ranges::count(ids, tokens[0]) == 0) ids.push_back(tokens[0]);
  }
  return ids;
}

Aggregation read_aggregation(Fields& parameters) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "simple", "first", "average", "max"};
  const auto found = std::ranges::find(kNames, parameters.text("aggregation_strategy", "simple"));
  if (found == kNames.end()) {
    parameters.refuse("aggregation_strategy", fmt::format("one of {}", fmt::join(kNames, ", ")));
  }
  return static_cast<Aggregation>(found - kNames.begin());
}

// Scores of each label by itself if a text may have several labels, else a softmax over the labels.
HttpAnswer run_zero_shot(const Call& call, Fields& fields, Fields& parameters) {
  const std::vector<std::string> labels = parameters.one_or_more("candidate_labels");
  check_count(call, "parameters.candidate_labels", labels.size());
  const std::string hypothesis = parameters.text("hypothesis_template", ZeroShot::kHypothesis);
  const bool multi = parameters.flag("multi_label", false);
  const bool single = fields.member("inputs").is_text();
  const std::vector<std::string> texts = pipeline_texts(call, fields);
  parameters.done();
  fields.done();
  const Classifier& classifier = call.heads.classifier();
  std::vector<std::vector<double>> scores(texts.size());
  const auto classify = [&](const std::vector<std::string>& some) {
    const ReadOptions reading = call.reading(call.options.truncate);
    const auto found = ZeroShot(classifier, some, hypothesis).classify(texts, reading);
    for (size_t i = 0; i < texts.size(); ++i) {
      scores[i].insert(scores[i].end(), found[i].scores.begin(), found[i].scores.end());
    }
  };
  if (multi) {
    for (const std::string& label : labels) classify({label});
  } else {
    classify(labels);
  }
  std::vector<std::string> results;
  for (const std::vector<double>& own : scores) results.push_back(ranked_json(labels, own, labels.size()));
  return pipeline_answer(single, results);
}

}  // namespace

HttpAnswer run_text_classification(const Call& call, Fields& fields, Fields& parameters) {
  if (parameters.find("candidate_labels")) return run_zero_shot(call, fields, parameters);
  const size_t top = read_top(parameters, kMostCount);
  parameters.unsupported({"function_to_apply"});
  std::vector<TextInput> inputs;
  for (std::string& text : pipeline_texts(call, fields)) inputs.push_back({std::move(text)});
  parameters.done();
  fields.done();
  const Classifier& classifier = call.heads.classifier();
  std::vector<std::string> results;
  for (const Classification& found : classifier.classify(inputs, call.reading(call.options.truncate))) {
    results.push_back(ranked_json(classifier.labels(), found.scores, top));
  }
  return pipeline_answer(false, results);  // InferenceClient reads the first of a list
}

HttpAnswer run_token_classification(const Call& call, Fields& fields, Fields& parameters) {
  const Aggregation aggregation = read_aggregation(parameters);
  parameters.unsupported({"ignore_labels", "stride"});
  const bool single = fields.member("inputs").is_text();
  const std::vector<std::string> texts = pipeline_texts(call, fields);
  parameters.done();
  fields.done();
  const auto found = call.heads.tagger().tag(texts, call.reading(call.options.truncate), aggregation);
  const Tokenizer& tokenizer = call.heads.model().tokenizer();
  std::vector<std::string> results;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<TextSpan> places;
    for (const TaggedSpan& span : found[i]) places.push_back(span.bytes);
    SpanUnit().convert(texts[i], places);
    std::vector<std::string> spans;
    for (size_t s = 0; s < places.size(); ++s) {
      const TaggedSpan& span = found[i][s];
      std::string word = texts[i].substr(span.bytes.begin, span.bytes.end - span.bytes.begin);
      const bool joined = aggregation != Aggregation::none;
      json::Members members = {{joined ? "entity_group" : "entity", json::text(span.label)},
                               {"score", json::number(span.score)}};
      if (!joined) {
        members.emplace_back("index", json::number(static_cast<int64_t>(span.index)));
        const bool unknown = tokenizer.specials().name(span.token) != nullptr;
        if (!unknown) word = readable(tokenizer.bytes(span.token));
      }
      members.emplace_back("word", json::text(word));
      members.emplace_back("start", json::number(int64_t{places[s].begin}));
      members.emplace_back("end", json::number(int64_t{places[s].end}));
      spans.push_back(json::object(members));
    }
    results.push_back(json::list(spans));
  }
  return pipeline_answer(single, results);
}

// One list for a text with one mask, and a list of lists for several masks.
HttpAnswer run_fill_mask(const Call& call, Fields& fields, Fields& parameters) {
  const size_t top = read_top(parameters, 5);
  const std::vector<int32_t> targets = read_targets(call, parameters);
  const bool single = fields.member("inputs").is_text();
  const std::vector<std::string> texts = pipeline_texts(call, fields);
  parameters.done();
  fields.done();
  std::vector<std::string> results;
  for (const auto& masks :
       call.heads.filler().fill(texts, top, call.reading(call.options.truncate), targets)) {
    std::vector<std::string> lists;
    for (const FilledMask& mask : masks) {
      std::vector<std::string> choices;
      for (size_t i = 0; i < mask.best.size(); ++i) {
        json::Members members = {{"score", json::number(mask.best[i].score)},
                                 {"token", json::number(int64_t{mask.best[i].id})},
                                 {"token_str", json::text(readable(mask.best[i].token))}};
        members.emplace_back("sequence", json::text(mask.texts.empty() ? "" : readable(mask.texts[i])));
        choices.push_back(json::object(members));
      }
      lists.push_back(json::list(choices));
    }
    results.push_back(lists.size() == 1 ? lists.front() : json::list(lists));
  }
  return pipeline_answer(single, results);
}

// No answer is a text without characters, as in transformers with handle_impossible_answer.
HttpAnswer run_question_answering(const Call& call, Fields& fields, Fields& parameters) {
  AnswerOptions options;
  options.window = parameters.integer("max_seq_len", 1, kMostCount).value_or(options.window);
  options.overlap = parameters.integer("doc_stride", 0, kMostCount).value_or(options.overlap);
  options.longest = parameters.integer("max_answer_len", 1, kMostCount).value_or(options.longest);
  if (parameters.integer("top_k", 1, kMostCount).value_or(1) != 1) parameters.refuse("top_k", "1");
  parameters.ignore({"handle_impossible_answer", "align_to_words", "max_question_len"});
  Fields inputs = fields.object("inputs");
  const std::vector<QuestionInput> questions = {{inputs.text("question"), inputs.text("context")}};
  inputs.done();
  parameters.done();
  fields.done();
  const FoundAnswer found = call.heads.answerer().answer(questions, options, call.reading()).front();
  const std::string& context = questions[0].context;
  const TextSpan bytes = found.found ? found.bytes : TextSpan();
  std::vector<TextSpan> place = {bytes};
  SpanUnit().convert(context, place);
  return {.body =
              json::object({{"score", json::number(found.score)},
                            {"start", json::number(int64_t{place[0].begin})},
                            {"end", json::number(int64_t{place[0].end})},
                            {"answer", json::text(context.substr(bytes.begin, bytes.end - bytes.begin))}})};
}

}  // namespace locus::serve
