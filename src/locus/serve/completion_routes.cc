// Completions of OpenAI's API: /v1/completions and /v1/chat/completions.
#include "locus/base/json.h"
#include "locus/serve/chat_input.h"
#include "locus/serve/completion.h"
#include "locus/serve/handlers.h"
#include "locus/serve/inputs.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

constexpr CompletionKind kText = {"cmpl-", "text_completion", "text_completion"};
constexpr CompletionKind kChat = {"chatcmpl-", "chat.completion", "chat.completion.chunk", true};

struct TextRequest {
  std::string model;
  OpenAiOptions options;
  bool echo = false, truncate = false;
  Inputs inputs;
};

TextRequest read_completion(const Call& call, Fields& fields) {
  TextRequest request;
  request.inputs = read_inputs(call, fields, "prompt");
  request.model = model_of(call, fields);
  request.options = read_openai_options(call, fields);
  WriteOptions& options = request.options.options;
  options.max_tokens = fields.integer("max_tokens", 1, kMostCount).value_or(0);
  request.echo = fields.flag("echo", false);
  request.truncate = truncates(call, fields);
  fields.check_count("prompt", request.inputs.size() * static_cast<size_t>(options.answers),
                     call.options.max_inputs);
  return request;
}

std::optional<HttpAnswer> answer_completion(const Call& call, TextRequest request) {
  const Inputs& inputs = request.inputs;
  const Writer& writer = call.heads.writer();
  const ReadOptions reading = call.reading(request.truncate);
  Completion completion(call, kText, std::move(request.options), request.model);
  if (request.echo) {
    std::vector<std::string> prompts = inputs.texts;
    for (const std::vector<int32_t>& ids : inputs.ids) {
      prompts.push_back(writer.model().tokenizer().decode(writer.model().read_tokens(ids).ids));
    }
    completion.begin_with(std::move(prompts));
  }
  return completion.answer([&](const WriteOptions& o) {
    if (inputs.ids.empty()) return writer.write(inputs.texts, o, reading);
    return with_token_hint([&] { return writer.write_tokens(inputs.ids, o, reading); });
  });
}

struct ChatRequest {
  std::string model;
  OpenAiOptions options;
  std::string chat;
};

ChatRequest read_chat_request(const Call& call, Fields& fields) {
  ChatRequest request;
  request.chat = read_chat(fields);
  request.model = model_of(call, fields);
  request.options = read_openai_options(call, fields);
  const auto most = fields.integer("max_completion_tokens", 1, kMostCount);
  const auto older = fields.integer("max_tokens", 1, kMostCount);
  request.options.options.max_tokens = most ? *most : older.value_or(0);
  return request;
}

std::optional<HttpAnswer> answer_chat(const Call& call, ChatRequest request) {
  const ChatTemplate& chat_template = call.heads.chat();
  Completion completion(call, kChat, std::move(request.options), request.model);
  return completion.answer([&](const WriteOptions& o) {
    const auto render = [&](size_t) { return render_object(chat_template, request.chat, "request"); };
    return call.heads.writer().write_chats(1, render, o, call.reading());
  });
}

std::string read_template_request(const Call&, Fields& fields) {
  std::string chat = read_chat(fields);
  fields.ignore({"model"});
  return chat;
}

HttpAnswer answer_template(const Call& call, const std::string& chat) {
  const MarkedText text = render_object(call.heads.chat(), chat, "request");
  return {.body = json::object({{"prompt", json::text(text.bytes())}})};
}

}  // namespace

const Handler handlers::completions = {answer_object<read_completion, answer_completion>,
                                       [](const Call&) { return Completion::result_schema(kText); },
                                       schema_of<read_completion>, kJson, kEvents};
const Handler handlers::chat_completions = {answer_object<read_chat_request, answer_chat>,
                                            [](const Call&) { return Completion::result_schema(kChat); },
                                            schema_of<read_chat_request>, kJson, kEvents};
const Handler handlers::apply_template = {answer_object<read_template_request, answer_template>,
                                          [](const Call&) {
                                            return schema::object({{"prompt", schema::text()}});
                                          },
                                          schema_of<read_template_request>};

}  // namespace locus::serve
