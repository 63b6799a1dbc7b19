// Classification and reranking in the shapes of Text Embeddings Inference (/predict, /rerank) and of Cohere
// and Jina (/v1/rerank, and /rerank with "documents").
#include <algorithm>
#include <numeric>

#include "locus/base/json.h"
#include "locus/serve/handlers.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

constexpr const char* kExpectedInputs =
    "a string, a pair of strings, or a list of lists of one or two strings";

TextInput input_of(const Fields& fields, json::Value value) {
  std::vector<std::string> texts;
  if (const auto list = value.list()) {
    for (const json::Value item : *list) {
      if (!item.text() || texts.size() == 2) fields.refuse("inputs", kExpectedInputs);
      texts.emplace_back(*item.text());
    }
  }
  if (texts.empty()) fields.refuse("inputs", kExpectedInputs);
  TextInput input{texts[0]};
  if (texts.size() == 2) input.second = texts[1];
  return input;
}

// The scores, or the logits with "raw_scores".
std::vector<std::vector<double>> scores_of(const Call& call, std::span<const TextInput> inputs, bool raw,
                                           bool truncate) {
  std::vector<std::vector<double>> scores;
  const ReadOptions reading = call.reading(truncate);
  if (raw) {
    for (const std::vector<float>& logits : call.heads.classifier().logits(inputs, reading)) {
      scores.emplace_back(logits.begin(), logits.end());
    }
    return scores;
  }
  for (Classification& found : call.heads.classifier().classify(inputs, reading)) {
    scores.push_back(std::move(found.scores));
  }
  return scores;
}

std::vector<size_t> best_first(std::span<const double> scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return scores[i]; });
  return order;
}

std::string labels_json(const std::vector<double>& scores, const std::vector<std::string>& labels) {
  std::vector<std::string> items;
  for (const size_t i : best_first(scores)) {
    items.push_back(json::object({{"score", json::number(scores[i])}, {"label", json::text(labels[i])}}));
  }
  return json::list(items);
}

// The texts to rank: strings, or objects with a "text".
std::vector<std::string> documents_of(Fields& fields, std::string_view name) {
  std::vector<std::string> texts;
  const auto list = fields.member(name).list();
  if (!list) fields.refuse(name, "a list of strings");
  for (const json::Value item : *list) {
    auto text = item.text();
    if (const auto object = item.object()) {
      const auto member = object->find("text");
      text = member ? member->text() : std::nullopt;
    }
    if (!text) fields.refuse(name, "a list of strings, or of objects with a \"text\"");
    texts.emplace_back(*text);
  }
  return texts;
}

std::vector<double> ranked(const Call& call, const std::string& query, const std::vector<std::string>& texts,
                           bool raw, bool truncate) {
  std::vector<TextInput> pairs;
  for (const std::string& text : texts) pairs.push_back({query, text});
  std::vector<double> scores;
  for (const std::vector<double>& one : scores_of(call, pairs, raw, truncate)) scores.push_back(one.front());
  return scores;
}

HttpAnswer rank_documents(const Call& call, Fields& fields) {
  const std::string model = model_of(call, fields), query = fields.text("query");
  const std::vector<std::string> documents = documents_of(fields, "documents");
  check_count(call, "documents", documents.size());
  const size_t top =
      static_cast<size_t>(fields.integer("top_n", 1, std::numeric_limits<int32_t>::max()).value_or(1 << 30));
  const bool shows = fields.flag("return_documents", false);
  const bool truncate = fields.flag("truncate", call.options.truncate);
  fields.ignore({"user"});
  fields.done();
  const std::vector<double> scores = ranked(call, query, documents, false, truncate);
  std::vector<std::string> results;
  for (const size_t i : best_first(scores)) {
    if (results.size() == top) break;
    json::Members members = {{"index", json::number(static_cast<int64_t>(i))},
                             {"relevance_score", json::number(scores[i])}};
    if (shows) members.emplace_back("document", json::object({{"text", json::text(documents[i])}}));
    results.push_back(json::object(members));
  }
  const std::string tokens = json::number(call.ticket.tokens());
  return {.body =
              json::object({{"id", json::text("rerank-" + call.request.id)},
                            {"model", json::text(model)},
                            {"results", json::list(results)},
                            {"usage", json::object({{"prompt_tokens", tokens}, {"total_tokens", tokens}})}})};
}

}  // namespace

std::optional<HttpAnswer> predict(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const json::Value value = fields.member("inputs");
  const auto list = value.list();
  std::vector<TextInput> inputs;
  const bool single = value.is_text() || (list && list->begin() != list->end() && (*list->begin()).is_text());
  if (value.is_text()) {
    inputs.push_back({std::string(*value.text())});
  } else if (single) {
    inputs.push_back(input_of(fields, value));
  } else {
    if (!list) fields.refuse("inputs", kExpectedInputs);
    check_count(call, "inputs", list->size());
    for (const json::Value item : *list) inputs.push_back(input_of(fields, item));
  }
  const bool raw = fields.flag("raw_scores", false),
             truncate = fields.flag("truncate", call.options.truncate);
  expect_right_truncation(fields);
  fields.done();
  std::vector<std::string> texts;
  for (const std::vector<double>& scores : scores_of(call, inputs, raw, truncate)) {
    texts.push_back(labels_json(scores, call.heads.classifier().labels()));
  }
  return HttpAnswer{.body = single ? texts.front() : json::list(texts)};
}

std::optional<HttpAnswer> rerank(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  if (call.request.path.starts_with("/v1/") || body.object().find("documents")) {
    return rank_documents(call, fields);
  }
  const std::string query = fields.text("query");
  const std::vector<std::string> texts = documents_of(fields, "texts");
  check_count(call, "texts", texts.size());
  const bool raw = fields.flag("raw_scores", false), shows = fields.flag("return_text", false);
  const bool truncate = fields.flag("truncate", call.options.truncate);
  expect_right_truncation(fields);
  fields.done();
  const std::vector<double> scores = ranked(call, query, texts, raw, truncate);
  std::vector<std::string> results;
  for (const size_t i : best_first(scores)) {
    json::Members members = {{"index", json::number(static_cast<int64_t>(i))},
                             {"score", json::number(scores[i])}};
    if (shows) members.emplace_back("text", json::text(texts[i]));
    results.push_back(json::object(members));
  }
  return HttpAnswer{.body = json::list(results)};
}

}  // namespace locus::serve
