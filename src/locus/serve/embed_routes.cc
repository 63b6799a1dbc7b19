// Embeddings: the shapes of OpenAI (/v1/embeddings) and of Text Embeddings Inference (/embed, /embed_all,
// /similarity).
#include "locus/apply/cosine.h"
#include "locus/base/json.h"
#include "locus/serve/handlers.h"
#include "locus/serve/inputs.h"
#include "locus/serve/refused.h"
#include "locus/text/base64.h"

namespace locus::serve {
namespace {

struct EmbedOptions {
  std::string prompt;
  bool truncate = false;
  bool normalize = false;  // the folder may normalize anyway
  int64_t dimensions = 0;  // 0: all
};

EmbedOptions read_options(const Call& call, Fields& fields, bool normalize) {
  EmbedOptions options;
  options.prompt = fields.text("prompt_name", "");
  options.truncate = truncates(call, fields);
  options.normalize = fields.flag("normalize", normalize);
  options.dimensions = fields.integer("dimensions", 1, call.heads.embedder().width()).value_or(0);
  return options;
}

std::vector<Encoding> encode(const Call& call, const Inputs& inputs, const EmbedOptions& options) {
  const ReadOptions reading = call.reading(options.truncate);
  const Embedder& embedder = call.heads.embedder();
  if (inputs.ids.empty()) return embedder.read(inputs.texts, reading, options.prompt);
  return with_token_hint([&] {
    return encode_each(inputs.ids.size(), reading,
                       [&](size_t i) { return embedder.model().read_tokens(inputs.ids[i]); });
  });
}

// The first numbers of a vector that was trained for that (Matryoshka) are a vector, too.
std::vector<std::vector<float>> vectors_of(const Call& call, const Inputs& inputs,
                                           const EmbedOptions& options) {
  const Embedder& embedder = call.heads.embedder();
  const Tensor all = embedder.vectors(encode(call, inputs, options), call.reading());
  const auto C = static_cast<size_t>(embedder.width());
  const size_t size = options.dimensions > 0 ? static_cast<size_t>(options.dimensions) : C;
  std::vector<std::vector<float>> vectors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto row = all.data<float>().subspan(i * C, size);
    vectors.emplace_back(row.begin(), row.end());
    const bool normal = embedder.normalizes() && size == C;  // scaling again could change the last bits
    if (!normal && (options.normalize || size < C)) scale_to_length_one(vectors.back());
  }
  return vectors;
}

std::string numbers(std::span<const float> vector) {
  return json::numbers(std::vector<double>(vector.begin(), vector.end()));
}

std::string base64(std::span<const float> vector) {
  const auto bytes = std::as_bytes(vector);
  return json::text(base64_encoded({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

std::string vector_schema() { return schema::list(schema::number()); }

struct EmbedRequest {
  EmbedOptions options;
  Inputs inputs;
};

struct OpenAiRequest : EmbedRequest {
  std::string model, format;
};

OpenAiRequest read_openai(const Call& call, Fields& fields) {
  constexpr std::string_view kFormats[] = {"float", "base64"};
  OpenAiRequest request;
  request.inputs = read_inputs(call, fields, "input");
  request.model = model_of(call, fields);
  request.format = fields.choice("encoding_format", "float", kFormats);
  request.options = read_options(call, fields, false);
  fields.ignore({"user"});
  return request;
}

HttpAnswer answer_openai(const Call& call, const OpenAiRequest& request) {
  std::vector<std::string> data;
  for (const std::vector<float>& vector : vectors_of(call, request.inputs, request.options)) {
    data.push_back(json::object({{"object", json::text("embedding")},
                                 {"index", json::number(std::ssize(data))},
                                 {"embedding", (request.format == "base64" ? base64 : numbers)(vector)}}));
  }
  return {.body = json::object({{"object", json::text("list")},
                                {"data", json::list(data)},
                                {"model", json::text(request.model)},
                                {"usage", usage_of(call)}})};
}

std::string openai_result(const Call&) {
  const std::string item = schema::object({{"object", schema::text()},
                                           {"index", schema::integer()},
                                           {"embedding", schema::any_of({vector_schema(), schema::text()})}});
  return schema::object({{"object", schema::text()},
                         {"data", schema::list(item)},
                         {"model", schema::text()},
                         {"usage", usage_schema()}});
}

EmbedRequest read_embed(const Call& call, Fields& fields) {
  EmbedRequest request;
  request.inputs = read_inputs(call, fields, "inputs");
  request.options = read_options(call, fields, true);
  expect_right_truncation(fields);
  return request;
}

HttpAnswer answer_embed(const Call& call, const EmbedRequest& request) {
  std::vector<std::string> rows;
  for (const std::vector<float>& vector : vectors_of(call, request.inputs, request.options)) {
    rows.push_back(numbers(vector));
  }
  return {.body = json::list(rows)};
}

EmbedRequest read_embed_all(const Call& call, Fields& fields) {
  EmbedRequest request;
  request.inputs = read_inputs(call, fields, "inputs");
  request.options.prompt = fields.text("prompt_name", "");
  request.options.truncate = truncates(call, fields);
  expect_right_truncation(fields);
  return request;
}

HttpAnswer answer_embed_all(const Call& call, const EmbedRequest& request) {
  const Embedder& embedder = call.heads.embedder();
  const auto C = static_cast<size_t>(embedder.model().blueprint().width);
  std::vector<std::string> texts;
  const std::vector<Encoding> encodings = encode(call, request.inputs, request.options);
  for (const std::vector<float>& states : embedder.states(encodings, call.reading())) {
    std::vector<std::string> rows;
    for (size_t i = 0; i < states.size(); i += C) rows.push_back(numbers(std::span(states).subspan(i, C)));
    texts.push_back(json::list(rows));
  }
  return {.body = json::list(texts)};
}

// The source is the last text.
EmbedRequest read_similarity(const Call& call, Fields& fields) {
  EmbedRequest request;
  Fields inputs = fields.object("inputs");
  request.inputs.texts = inputs.texts("sentences", call.options.max_inputs);
  request.inputs.texts.push_back(inputs.text("source_sentence"));
  inputs.done();
  Fields parameters = fields.optional_object("parameters");
  request.options.prompt = parameters.text("prompt_name", "");
  request.options.truncate = truncates(call, parameters);
  expect_right_truncation(parameters);
  parameters.done();
  return request;
}

HttpAnswer answer_similarity(const Call& call, const EmbedRequest& request) {
  const std::vector<std::vector<float>> vectors = vectors_of(call, request.inputs, request.options);
  std::vector<double> scores;
  for (size_t i = 0; i + 1 < vectors.size(); ++i) scores.push_back(cosine(vectors.back(), vectors[i]));
  return {.body = json::numbers(scores)};
}

}  // namespace

const Handler handlers::openai_embeddings = {answer_object<read_openai, answer_openai>, openai_result,
                                             schema_of<read_openai>};
const Handler handlers::embed = {answer_object<read_embed, answer_embed>,
                                 [](const Call&) { return schema::list(vector_schema()); },
                                 schema_of<read_embed>};
const Handler handlers::embed_all = {answer_object<read_embed_all, answer_embed_all>,
                                     [](const Call&) { return schema::list(schema::list(vector_schema())); },
                                     schema_of<read_embed_all>};
const Handler handlers::similarity = {answer_object<read_similarity, answer_similarity>,
                                      [](const Call&) { return vector_schema(); },
                                      schema_of<read_similarity>};

}  // namespace locus::serve
