// Routes with the names of commands. Each answers the object that the command prints with --json.
#include <set>

#include "locus/apply/result_json.h"
#include "locus/apply/zero_shot.h"
#include "locus/base/quote.h"
#include "locus/serve/handlers.h"
#include "locus/serve/items.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

struct TextsRequest {
  std::vector<std::string> texts;
  ReadOptions reading;
};

std::vector<std::string> texts_of(Items& items) {
  std::vector<std::string> texts;
  for (Fields& item : items.each()) texts.push_back(item.text("text"));
  return texts;
}

SpanUnit read_unit(Fields& options) {
  constexpr std::string_view kUnits[] = {"characters", "bytes"};
  return {options.choice("offsets", "characters", kUnits)};
}

// The members of an object that both spans and answers have.
json::Members place_schema() { return {{"start", schema::integer()}, {"end", schema::integer()}}; }

// Labels are names in the answer, so they must be distinct.
std::vector<std::string> read_labels(const Call& call, Fields& options) {
  const auto given = options.any_number("label", call.options.max_inputs);
  if (!given) return {};
  options.check_count("label", given->size(), call.options.max_inputs);
  if (std::set<std::string>(given->begin(), given->end()).size() != given->size()) {
    options.refuse("label", "each label once");
  }
  return *given;
}

struct ClassifyRequest {
  std::vector<std::string> labels;  // for zero-shot classification
  std::string claim;
  std::vector<TextInput> inputs;
  ReadOptions reading;
};

ClassifyRequest read_classify(const Call& call, Items& items) {
  ClassifyRequest request;
  request.labels = read_labels(call, items.options());
  request.claim = items.options().text("claim", ZeroShot::kHypothesis);
  request.reading = items.reading();
  for (Fields& item : items.each()) {
    TextInput& input = request.inputs.emplace_back(TextInput{item.text("text")});
    if (request.labels.empty()) input.second = item.optional_text("text_pair");
  }
  return request;
}

std::vector<std::string> answer_classify(const Call& call, const ClassifyRequest& request) {
  const auto& [labels, claim, inputs, reading] = request;
  const Classifier& classifier = call.heads.classifier();
  std::vector<Classification> found;
  if (labels.empty()) {
    found = classifier.classify(inputs, reading);
  } else {
    std::vector<std::string> texts;
    for (const TextInput& input : inputs) texts.push_back(input.text);
    found = ZeroShot(classifier, labels, claim).classify(texts, reading);
  }
  std::vector<std::string> objects;
  for (size_t i = 0; i < inputs.size(); ++i) {
    objects.push_back(classified_json(inputs[i], found[i], labels.empty() ? classifier.labels() : labels));
  }
  return objects;
}

std::string classify_result(const Call&) {
  return results_schema(schema::object({{"text", schema::text()},
                                        {"label", schema::text()},
                                        {"score", schema::number()},
                                        {"scores", schema::map(schema::number())}},
                                       {{"text_pair", schema::text()}}));
}

struct TagRequest : TextsRequest {
  SpanUnit unit;
};

TagRequest read_tag(const Call&, Items& items) {
  TagRequest request;
  request.texts = texts_of(items);
  request.unit = read_unit(items.options());
  request.reading = items.reading();
  return request;
}

std::vector<std::string> answer_tag(const Call& call, const TagRequest& request) {
  const auto found = call.heads.tagger().tag(request.texts, request.reading);
  std::vector<std::string> objects;
  for (size_t i = 0; i < found.size(); ++i) {
    objects.push_back(tagged_json(request.texts[i], found[i], request.unit));
  }
  return objects;
}

std::string tag_result(const Call&) {
  json::Members span = {{"label", schema::text()}, {"score", schema::number()}, {"text", schema::text()}};
  for (auto& member : place_schema()) span.push_back(std::move(member));
  return results_schema(
      schema::object({{"text", schema::text()}, {"spans", schema::list(schema::object(span))}}));
}

struct FillRequest : TextsRequest {
  size_t top = 0;
};

FillRequest read_fill(const Call&, Items& items) {
  FillRequest request;
  request.texts = texts_of(items);
  request.top = static_cast<size_t>(items.options().integer("top", 1, kMostCount, 5));
  request.reading = items.reading();
  return request;
}

std::vector<std::string> answer_fill(const Call& call, const FillRequest& request) {
  const auto found = call.heads.filler().fill(request.texts, request.top, request.reading);
  std::vector<std::string> objects;
  for (size_t i = 0; i < found.size(); ++i) objects.push_back(filled_json(request.texts[i], found[i]));
  return objects;
}

std::string fill_result(const Call&) {
  const std::string choice =
      schema::object({{"token", schema::text()}, {"id", schema::integer()}, {"score", schema::number()}},
                     {{"text", schema::text()}});
  json::Members mask = place_schema();
  mask.emplace_back("choices", schema::list(choice));
  return results_schema(
      schema::object({{"text", schema::text()}, {"masks", schema::list(schema::object(mask))}}));
}

struct AnswerRequest {
  std::vector<QuestionInput> questions;
  AnswerOptions options;
  SpanUnit unit;
  ReadOptions reading;
};

AnswerRequest read_answer(const Call&, Items& items) {
  AnswerRequest request;
  for (Fields& item : items.each())
    request.questions.push_back({item.text("question"), item.text("context")});
  Fields& given = items.options();
  AnswerOptions& options = request.options;
  options.window = given.integer("window", 1, kMostCount, options.window);
  options.overlap = given.integer("overlap", 0, kMostCount, options.overlap);
  options.longest = given.integer("longest", 1, kMostCount, options.longest);
  request.unit = read_unit(given);
  request.reading = items.reading();
  return request;
}

std::vector<std::string> answer_questions(const Call& call, const AnswerRequest& request) {
  const auto& [questions, options, unit, reading] = request;
  const std::vector<FoundAnswer> found = call.heads.answerer().answer(questions, options, reading);
  std::vector<std::string> objects;
  for (size_t i = 0; i < questions.size(); ++i) {
    objects.push_back(answered_json(questions[i], found[i], unit));
  }
  return objects;
}

std::string answer_result(const Call&) {
  return results_schema(schema::object({{"question", schema::text()},
                                        {"answer", schema::or_null(schema::text())},
                                        {"score", schema::number()}},
                                       place_schema()));
}

}  // namespace

const Handler handlers::classify = {answer_items<read_classify, answer_classify>, classify_result,
                                    schema_of_items<read_classify>};
const Handler handlers::tag = {answer_items<read_tag, answer_tag>, tag_result, schema_of_items<read_tag>};
const Handler handlers::fill = {answer_items<read_fill, answer_fill>, fill_result,
                                schema_of_items<read_fill>};
const Handler handlers::answer = {answer_items<read_answer, answer_questions>, answer_result,
                                  schema_of_items<read_answer>};

}  // namespace locus::serve
