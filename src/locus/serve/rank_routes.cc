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

std::string documents_schema(size_t most) {
  const std::string object = schema::object({{"text", schema::text()}});
  return schema::list(schema::any_of({schema::text(), object}), 1, most);
}

// The texts to rank: strings, or objects with a "text".
std::vector<std::string> documents_of(const Call& call, Fields& fields, std::string_view name) {
  const size_t most = call.options.max_inputs;
  const auto value = fields.member(name, fields.describes() ? documents_schema(most) : "");
  if (!value) return {};
  const auto list = value->list();
  if (!list) fields.refuse(name, "a list of strings");
  std::vector<std::string> texts;
  for (const json::Value item : *list) {
    auto text = item.text();
    if (const auto object = item.object()) {
      const auto member = object->find("text");
      text = member ? member->text() : std::nullopt;
    }
    if (!text) fields.refuse(name, "a list of strings, or of objects with a \"text\"");
    texts.emplace_back(*text);
  }
  fields.check_count(name, texts.size(), most);
  return texts;
}

struct RankRequest {
  std::string query, model;
  std::vector<std::string> texts;
  size_t top = std::numeric_limits<size_t>::max();  // results in the answer
  bool raw = false, shows = false, truncate = false;
};

std::vector<double> ranked(const Call& call, const RankRequest& request) {
  std::vector<TextInput> pairs;
  for (const std::string& text : request.texts) pairs.push_back({request.query, text});
  std::vector<double> scores;
  for (const std::vector<double>& one : scores_of(call, pairs, request.raw, request.truncate)) {
    scores.push_back(one.front());
  }
  return scores;
}

RankRequest read_documents(const Call& call, Fields& fields) {
  RankRequest request;
  request.query = fields.text("query");
  request.texts = documents_of(call, fields, "documents");
  request.model = model_of(call, fields);
  if (const auto top = fields.integer("top_n", 1, std::numeric_limits<int32_t>::max())) {
    request.top = static_cast<size_t>(*top);
  }
  request.shows = fields.flag("return_documents", false);
  request.truncate = truncates(call, fields);
  fields.ignore({"user"});
  return request;
}

HttpAnswer answer_documents(const Call& call, const RankRequest& request) {
  const std::vector<double> scores = ranked(call, request);
  std::vector<std::string> results;
  for (const size_t i : best_first(scores)) {
    if (results.size() == request.top) break;
    json::Members members = {{"index", json::number(static_cast<int64_t>(i))},
                             {"relevance_score", json::number(scores[i])}};
    if (request.shows) {
      members.emplace_back("document", json::object({{"text", json::text(request.texts[i])}}));
    }
    results.push_back(json::object(members));
  }
  return {.body = json::object({{"id", json::text("rerank-" + call.request.id)},
                                {"model", json::text(request.model)},
                                {"results", json::list(results)},
                                {"usage", usage_of(call)}})};
}

std::string documents_result(const Call&) {
  const std::string result =
      schema::object({{"index", schema::integer()}, {"relevance_score", schema::number()}},
                     {{"document", schema::object({{"text", schema::text()}})}});
  return schema::object({{"id", schema::text()},
                         {"model", schema::text()},
                         {"results", schema::list(result)},
                         {"usage", usage_schema()}});
}

RankRequest read_texts(const Call& call, Fields& fields) {
  RankRequest request;
  request.query = fields.text("query");
  request.texts = documents_of(call, fields, "texts");
  request.raw = fields.flag("raw_scores", false);
  request.shows = fields.flag("return_text", false);
  request.truncate = truncates(call, fields);
  expect_right_truncation(fields);
  return request;
}

HttpAnswer answer_texts(const Call& call, const RankRequest& request) {
  const std::vector<double> scores = ranked(call, request);
  std::vector<std::string> results;
  for (const size_t i : best_first(scores)) {
    json::Members members = {{"index", json::number(static_cast<int64_t>(i))},
                             {"score", json::number(scores[i])}};
    if (request.shows) members.emplace_back("text", json::text(request.texts[i]));
    results.push_back(json::object(members));
  }
  return {.body = json::list(results)};
}

std::string texts_result(const Call&) {
  return schema::list(schema::object({{"index", schema::integer()}, {"score", schema::number()}},
                                     {{"text", schema::text()}}));
}

// /rerank has the shape of Cohere and Jina if there are "documents".
std::optional<HttpAnswer> answer_either(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  return body.object().find("documents") ? answer_body<read_documents, answer_documents>(call, body)
                                         : answer_body<read_texts, answer_texts>(call, body);
}

struct PredictRequest {
  std::vector<TextInput> inputs;
  bool single = false, raw = false, truncate = false;
};

std::string predict_schema(size_t most) {
  const std::string texts = schema::list(schema::text(), 1, 2);
  return schema::any_of({schema::text(), texts, schema::list(texts, 1, most)});
}

PredictRequest read_predict(const Call& call, Fields& fields) {
  PredictRequest request;
  const size_t most = call.options.max_inputs;
  if (const auto value = fields.member("inputs", fields.describes() ? predict_schema(most) : "")) {
    const auto list = value->list();
    request.single = value->is_text() || (list && list->begin() != list->end() && (*list->begin()).is_text());
    if (value->is_text()) {
      request.inputs.push_back({std::string(*value->text())});
    } else if (request.single) {
      request.inputs.push_back(input_of(fields, *value));
    } else {
      if (!list) fields.refuse("inputs", kExpectedInputs);
      fields.check_count("inputs", list->size(), most);
      for (const json::Value item : *list) request.inputs.push_back(input_of(fields, item));
    }
  }
  request.raw = fields.flag("raw_scores", false);
  request.truncate = truncates(call, fields);
  expect_right_truncation(fields);
  return request;
}

HttpAnswer answer_predict(const Call& call, const PredictRequest& request) {
  std::vector<std::string> texts;
  for (const std::vector<double>& scores : scores_of(call, request.inputs, request.raw, request.truncate)) {
    texts.push_back(labels_json(scores, call.heads.classifier().labels()));
  }
  return {.body = request.single ? texts.front() : json::list(texts)};
}

std::string predict_result(const Call&) {
  const std::string labels =
      schema::list(schema::object({{"score", schema::number()}, {"label", schema::text()}}));
  return schema::any_of({labels, schema::list(labels)});
}

}  // namespace

const Handler handlers::predict = {answer_object<read_predict, answer_predict>, predict_result,
                                   schema_of<read_predict>};
const Handler handlers::rerank_documents = {answer_object<read_documents, answer_documents>, documents_result,
                                            schema_of<read_documents>};
const Handler handlers::rerank = {
    answer_either,
    [](const Call& call) {
      return schema::any_of({texts_result(call), documents_result(call)});
    },
    [](const Call& call) {
      return schema::any_of({schema_of<read_texts>(call), schema_of<read_documents>(call)});
    }};

}  // namespace locus::serve
