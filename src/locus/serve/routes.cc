#include "locus/serve/handlers.h"

namespace locus::serve {

std::span<const Route> routes() {
  static constexpr Route kRoutes[] = {
      {"POST", "/v1/embeddings", Task::embed, openai_embeddings, "Embeddings, as the OpenAI API"},
      {"POST", "/embeddings", Task::embed, openai_embeddings, "The same"},
      {"POST", "/embed", Task::embed, embed, "Embeddings, as Text Embeddings Inference"},
      {"POST", "/embed_all", Task::embed, embed_all, "Hidden states of all tokens"},
      {"POST", "/similarity", Task::embed, similarity, "Cosines of one text and others"},
      {"POST", "/v1/completions", Task::write, completions, "Completions, as the OpenAI API"},
      {"POST", "/v1/chat/completions", Task::chat, chat_completions, "Chats, as the OpenAI API"},
      {"POST", "/apply-template", Task::chat, apply_template, "The text that a chat template writes"},
      {"POST", "/generate", Task::write, generate, "Answers to prompts, as locus generate --json"},
      {"POST", "/translate", Task::translate, translate, "Translations, as locus translate --json"},
      {"POST", "/predict", Task::classify, predict, "Classes, as Text Embeddings Inference"},
      {"POST", "/rerank", Task::rerank, rerank,
       "Documents by relevance, as Text Embeddings Inference or Cohere"},
      {"POST", "/v1/rerank", Task::rerank, rerank, "Documents by relevance, as Cohere and Jina"},
      {"POST", "/classify", Task::classify, classify, "Classes, as locus classify --json"},
      {"POST", "/tag", Task::tag, tag, "Spans with labels, as locus tag --json"},
      {"POST", "/fill", Task::fill, fill, "Tokens for masks, as locus fill --json"},
      {"POST", "/answer", Task::answer, answer, "Answers from a context, as locus answer --json"},
      {"POST", "/tokenize", Task::none, tokenize, "Tokens of texts"},
      {"POST", "/detokenize", Task::none, detokenize, "Texts of token ids"},
      {"POST", "/decode", Task::none, detokenize, "The same"},
      {"GET", "/v1/models", Task::none, list_models, "The model, in a list"},
      {"GET", "/v1/models/*", Task::none, one_model, "The model"},
      {"POST", "/", Task::none, pipeline, "The pipeline of the model, as Hugging Face's InferenceClient"},
      {"POST", "/models/*", Task::none, pipeline, "The same"},
      {"GET", "/info", Task::none, info, "The model and the limits of the server"},
      {"GET", "/openapi.json", Task::none, openapi, "The routes of this server, as an OpenAPI document"},
      {"GET", "/", Task::none, page, "A page that tries the model"},
  };
  return kRoutes;
}

}  // namespace locus::serve
