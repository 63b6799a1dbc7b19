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
  options.truncate = fields.flag("truncate", call.options.truncate);
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

}  // namespace

std::optional<HttpAnswer> openai_embeddings(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const std::string model = model_of(call, fields);
  const std::string format = fields.text("encoding_format", "float");
  if (format != "float" && format != "base64") fields.refuse("encoding_format", "float or base64");
  const EmbedOptions options = read_options(call, fields, false);
  const Inputs inputs = read_inputs(call, fields, "input");
  fields.ignore({"user"});
  fields.done();
  std::vector<std::string> data;
  for (const std::vector<float>& vector : vectors_of(call, inputs, options)) {
    data.push_back(json::object({{"object", json::text("embedding")},
                                 {"index", json::number(std::ssize(data))},
                                 {"embedding", (format == "base64" ? base64 : numbers)(vector)}}));
  }
  const std::string tokens = json::number(call.ticket.tokens());
  return HttpAnswer{
      .body = json::object({{"object", json::text("list")},
                            {"data", json::list(data)},
                            {"model", json::text(model)},
                            {"usage", json::object({{"prompt_tokens", tokens}, {"total_tokens", tokens}})}})};
}

std::optional<HttpAnswer> embed(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const EmbedOptions options = read_options(call, fields, true);
  const Inputs inputs = read_inputs(call, fields, "inputs");
  expect_right_truncation(fields);
  fields.done();
  std::vector<std::string> rows;
  for (const std::vector<float>& vector : vectors_of(call, inputs, options)) rows.push_back(numbers(vector));
  return HttpAnswer{.body = json::list(rows)};
}

std::optional<HttpAnswer> embed_all(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  EmbedOptions options;
  options.prompt = fields.text("prompt_name", "");
  options.truncate = fields.flag("truncate", call.options.truncate);
  const Inputs inputs = read_inputs(call, fields, "inputs");
  expect_right_truncation(fields);
  fields.done();
  const Embedder& embedder = call.heads.embedder();
  const auto C = static_cast<size_t>(embedder.model().blueprint().width);
  std::vector<std::string> texts;
  for (const std::vector<float>& states : embedder.states(encode(call, inputs, options), call.reading())) {
    std::vector<std::string> rows;
    for (size_t i = 0; i < states.size(); i += C) rows.push_back(numbers(std::span(states).subspan(i, C)));
    texts.push_back(json::list(rows));
  }
  return HttpAnswer{.body = json::list(texts)};
}

std::optional<HttpAnswer> similarity(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  Fields inputs = fields.object("inputs");
  const std::string source = inputs.text("source_sentence");
  std::vector<std::string> texts = inputs.texts("sentences");
  check_count(call, "inputs.sentences", texts.size());
  inputs.done();
  EmbedOptions options;
  if (fields.find("parameters")) {
    Fields parameters = fields.object("parameters");
    options.prompt = parameters.text("prompt_name", "");
    options.truncate = parameters.flag("truncate", call.options.truncate);
    expect_right_truncation(parameters);
    parameters.done();
  }
  fields.done();
  texts.push_back(source);
  const std::vector<std::vector<float>> vectors =
      vectors_of(call, {.texts = std::move(texts), .ids = {}}, options);
  std::vector<double> scores;
  for (size_t i = 0; i + 1 < vectors.size(); ++i) scores.push_back(cosine(vectors.back(), vectors[i]));
  return HttpAnswer{.body = json::numbers(scores)};
}

}  // namespace locus::serve
