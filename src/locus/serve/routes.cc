#include "locus/serve/handlers.h"

namespace locus::serve {

std::span<const Route> routes() {
  static constexpr Route kRoutes[] = {
      {"POST", "/v1/embeddings", Task::embed, handlers::openai_embeddings, "Embeddings, as the OpenAI API"},
      {"POST", "/embeddings", Task::embed, handlers::openai_embeddings, "The same"},
      {"POST", "/embed", Task::embed, handlers::embed, "Embeddings, as Text Embeddings Inference"},
      {"POST", "/embed_all", Task::embed, handlers::embed_all, "Hidden states of all tokens"},
      {"POST", "/similarity", Task::embed, handlers::similarity, "Cosines of one text and others"},
      {"POST", "/v1/completions", Task::write, handlers::completions, "Completions, as the OpenAI API"},
      {"POST", "/v1/chat/completions", Task::chat, handlers::chat_completions, "Chats, as the OpenAI API"},
      {"POST", "/apply-template", Task::chat, handlers::apply_template,
       "The text that a chat template writes"},
      {"POST", "/generate", Task::write, handlers::generate, "Answers to prompts, as locus generate --json"},
      {"POST", "/translate", Task::translate, handlers::translate, "Translations, as locus translate --json"},
      {"POST", "/predict", Task::classify, handlers::predict, "Classes, as Text Embeddings Inference"},
      {"POST", "/rerank", Task::rerank, handlers::rerank,
       "Documents by relevance, as Text Embeddings Inference or Cohere"},
      {"POST", "/v1/rerank", Task::rerank, handlers::rerank_documents,
       "Documents by relevance, as Cohere and Jina"},
      {"POST", "/classify", Task::classify, handlers::classify, "Classes, as locus classify --json"},
      {"POST", "/tag", Task::tag, handlers::tag, "Spans with labels, as locus tag --json"},
      {"POST", "/fill", Task::fill, handlers::fill, "Tokens for masks, as locus fill --json"},
      {"POST", "/answer", Task::answer, handlers::answer, "Answers from a context, as locus answer --json"},
      {"POST", "/tokenize", Task::none, handlers::tokenize, "Tokens of texts"},
      {"POST", "/detokenize", Task::none, handlers::detokenize, "Texts of token ids"},
      {"POST", "/decode", Task::none, handlers::detokenize, "The same"},
      {"GET", "/v1/models", Task::none, handlers::list_models, "The model, in a list"},
      {"GET", "/v1/models/*", Task::none, handlers::one_model, "The model"},
      {"POST", "/", Task::none, handlers::pipeline,
       "The pipeline of the model, as Hugging Face's InferenceClient"},
      {"POST", "/models/*", Task::none, handlers::pipeline, "The same"},
      {"GET", "/info", Task::none, handlers::info, "The model and the limits of the server"},
      {"GET", "/openapi.json", Task::none, handlers::openapi,
       "The routes of this server, as an OpenAPI document"},
      {"GET", "/", Task::none, handlers::page, "A page that tries the model"},
  };
  return kRoutes;
}

}  // namespace locus::serve
