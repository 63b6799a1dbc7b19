// The handlers of all routes, by file.
#pragma once

#include "locus/serve/call.h"

namespace locus::serve {

// embed_routes.cc
std::optional<HttpAnswer> openai_embeddings(const Call& call);
std::optional<HttpAnswer> embed(const Call& call);
std::optional<HttpAnswer> embed_all(const Call& call);
std::optional<HttpAnswer> similarity(const Call& call);
// rank_routes.cc
std::optional<HttpAnswer> predict(const Call& call);
std::optional<HttpAnswer> rerank(const Call& call);
// command_routes.cc
std::optional<HttpAnswer> classify(const Call& call);
std::optional<HttpAnswer> tag(const Call& call);
std::optional<HttpAnswer> fill(const Call& call);
std::optional<HttpAnswer> answer(const Call& call);
// completion_routes.cc
std::optional<HttpAnswer> completions(const Call& call);
std::optional<HttpAnswer> chat_completions(const Call& call);
std::optional<HttpAnswer> apply_template(const Call& call);
// generate_routes.cc
std::optional<HttpAnswer> generate(const Call& call);
std::optional<HttpAnswer> translate(const Call& call);
// token_routes.cc
std::optional<HttpAnswer> tokenize(const Call& call);
std::optional<HttpAnswer> detokenize(const Call& call);
// pipeline_routes.cc
std::optional<HttpAnswer> pipeline(const Call& call);
// about_routes.cc
std::optional<HttpAnswer> list_models(const Call& call);
std::optional<HttpAnswer> one_model(const Call& call);
std::optional<HttpAnswer> info(const Call& call);
std::optional<HttpAnswer> openapi(const Call& call);
// page_routes.cc
std::optional<HttpAnswer> page(const Call& call);

}  // namespace locus::serve
