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

}  // namespace

std::optional<HttpAnswer> completions(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const std::string model = model_of(call, fields);
  OpenAiOptions options = read_openai_options(call, fields);
  options.options.max_tokens = fields.integer("max_tokens", 1, kMostCount).value_or(0);
  const bool echo = fields.flag("echo", false);
  const ReadOptions reading = call.reading(fields.flag("truncate", call.options.truncate));
  const Inputs inputs = read_inputs(call, fields, "prompt");
  fields.done();
  check_count(call, "prompt", inputs.size() * static_cast<size_t>(options.options.answers));
  const Writer& writer = call.heads.writer();
  Completion completion(call, kText, std::move(options), model);
  if (echo) {
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

std::optional<HttpAnswer> chat_completions(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const std::string model = model_of(call, fields);
  OpenAiOptions options = read_openai_options(call, fields);
  const auto most = fields.integer("max_completion_tokens", 1, kMostCount);
  const auto older = fields.integer("max_tokens", 1, kMostCount);
  options.options.max_tokens = most ? *most : older.value_or(0);
  const std::string chat = read_chat(fields);
  fields.done();
  const ChatTemplate& chat_template = call.heads.chat();
  Completion completion(call, kChat, std::move(options), model);
  return completion.answer([&](const WriteOptions& o) {
    const auto render = [&](size_t) { return render_object(chat_template, chat, "request"); };
    return call.heads.writer().write_chats(1, render, o, call.reading());
  });
}

std::optional<HttpAnswer> apply_template(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  fields.ignore({"model"});
  const std::string chat = read_chat(fields);
  fields.done();
  const MarkedText text = render_object(call.heads.chat(), chat, "request");
  return HttpAnswer{.body = json::object({{"prompt", json::text(text.bytes())}})};
}

}  // namespace locus::serve
