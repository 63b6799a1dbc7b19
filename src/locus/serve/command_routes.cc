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

std::vector<std::string> texts_of(Items& items) {
  std::vector<std::string> texts;
  for (Fields& item : items.each()) texts.push_back(item.text("text"));
  return texts;
}

SpanUnit read_unit(Fields& options) {
  const SpanUnit unit{options.text("offsets", "characters")};
  if (unit.name != "characters" && unit.name != "bytes") options.refuse("offsets", "characters or bytes");
  return unit;
}

// Labels are names in the answer, so they must be distinct.
std::vector<std::string> read_labels(const Call& call, Fields& options) {
  if (!options.find("label")) return {};
  std::vector<std::string> labels = options.one_or_more("label");
  check_count(call, "label", labels.size());
  if (std::set<std::string>(labels.begin(), labels.end()).size() != labels.size()) {
    options.refuse("label", "each label once");
  }
  return labels;
}

}  // namespace

std::optional<HttpAnswer> classify(const Call& call) {
  Items items(call);
  const std::vector<std::string> labels = read_labels(call, items.options());
  const std::string claim = items.options().text("claim", ZeroShot::kHypothesis);
  const ReadOptions reading = items.reading();
  std::vector<TextInput> inputs;
  for (Fields& item : items.each()) {
    TextInput& input = inputs.emplace_back(TextInput{item.text("text")});
    if (labels.empty() && item.find("text_pair")) input.second = item.text("text_pair");
  }
  items.done();
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
  return items.answer(objects);
}

std::optional<HttpAnswer> tag(const Call& call) {
  Items items(call);
  const SpanUnit unit = read_unit(items.options());
  const ReadOptions reading = items.reading();
  const std::vector<std::string> texts = texts_of(items);
  items.done();
  const std::vector<std::vector<TaggedSpan>> found = call.heads.tagger().tag(texts, reading);
  std::vector<std::string> objects;
  for (size_t i = 0; i < texts.size(); ++i) objects.push_back(tagged_json(texts[i], found[i], unit));
  return items.answer(objects);
}

std::optional<HttpAnswer> fill(const Call& call) {
  Items items(call);
  const auto top = static_cast<size_t>(items.options().integer("top", 1, kMostCount).value_or(5));
  const ReadOptions reading = items.reading();
  const std::vector<std::string> texts = texts_of(items);
  items.done();
  const std::vector<std::vector<FilledMask>> found = call.heads.filler().fill(texts, top, reading);
  std::vector<std::string> objects;
  for (size_t i = 0; i < texts.size(); ++i) objects.push_back(filled_json(texts[i], found[i]));
  return items.answer(objects);
}

std::optional<HttpAnswer> answer(const Call& call) {
  Items items(call);
  Fields& given = items.options();
  AnswerOptions options;
  options.window = given.integer("window", 1, kMostCount).value_or(options.window);
  options.overlap = given.integer("overlap", 0, kMostCount).value_or(options.overlap);
  options.longest = given.integer("longest", 1, kMostCount).value_or(options.longest);
  const SpanUnit unit = read_unit(given);
  const ReadOptions reading = items.reading();
  std::vector<QuestionInput> questions;
  for (Fields& item : items.each()) questions.push_back({item.text("question"), item.text("context")});
  items.done();
  const std::vector<FoundAnswer> found = call.heads.answerer().answer(questions, options, reading);
  std::vector<std::string> objects;
  for (size_t i = 0; i < questions.size(); ++i) {
    objects.push_back(answered_json(questions[i], found[i], unit));
  }
  return items.answer(objects);
}

}  // namespace locus::serve
