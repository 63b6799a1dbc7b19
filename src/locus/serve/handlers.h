// The handlers of all routes, by file.
#pragma once

#include "locus/serve/call.h"

namespace locus::serve::handlers {

// embed_routes.cc
extern const Handler openai_embeddings;
extern const Handler embed;
extern const Handler embed_all;
extern const Handler similarity;
// rank_routes.cc
extern const Handler predict;
extern const Handler rerank;
extern const Handler rerank_documents;
// command_routes.cc
extern const Handler classify;
extern const Handler tag;
extern const Handler fill;
extern const Handler answer;
// completion_routes.cc
extern const Handler completions;
extern const Handler chat_completions;
extern const Handler apply_template;
// generate_routes.cc
extern const Handler generate;
extern const Handler translate;
// token_routes.cc
extern const Handler tokenize;
extern const Handler detokenize;
// pipeline_routes.cc
extern const Handler pipeline;
// about_routes.cc
extern const Handler list_models;
extern const Handler one_model;
extern const Handler info;
// openapi_routes.cc
extern const Handler openapi;
// page_routes.cc
extern const Handler page;

}  // namespace locus::serve::handlers
