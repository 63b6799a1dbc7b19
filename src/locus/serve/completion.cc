#include "locus/serve/completion.h"

#include "locus/base/json.h"
#include "locus/serve/refused.h"
#include "locus/text/readable.h"

namespace locus::serve {
namespace {

std::string finish_of(StopReason reason) {
  return json::text(reason == StopReason::stop ? "stop" : "length");
}

template <class Values>
void make_room(Values& values, size_t index) {
  if (values.size() <= index) values.resize(index + 1);
}

}  // namespace

Completion::Completion(const Call& call, const CompletionKind& kind, OpenAiOptions options, std::string model)
    : call_(call),
      kind_(kind),
      options_(std::move(options)),
      model_(std::move(model)),
      created_(call.created()),
      events_(call.reply) {}

std::string Completion::usage_json() const {
  return json::object({{"prompt_tokens", json::number(read_)},
                       {"completion_tokens", json::number(written_)},
                       {"total_tokens", json::number(read_ + written_)}});
}

std::string Completion::object(std::string_view kind, const std::vector<std::string>& choices,
                               bool usage) const {
  json::Members members = {{"id", json::text(std::string(kind_.id) + call_.request.id)},
                           {"object", json::text(kind)},
                           {"created", json::number(created_)},
                           {"model", json::text(model_)},
                           {"system_fingerprint", json::text(call_.heads.fingerprint())},
                           {"choices", json::list(choices)}};
  if (usage) {
    members.emplace_back("usage", usage_json());
  } else if (options_.streams && options_.shows_usage) {
    members.emplace_back("usage", "null");
  }
  return json::object(members);
}

// `content` is a pair of a member name and its value.
std::string Completion::choice(size_t answer, const std::string& content, const std::string& finish) const {
  return fmt::format(R"({{"index": {}, {}, "logprobs": null, "finish_reason": {}}})", answer, content,
                     finish);
}

std::string Completion::prompt_of(size_t answer) const {
  const size_t prompt = answer / static_cast<size_t>(options_.options.answers);
  return prompt < prompts_.size() ? prompts_[prompt] : "";
}

std::string Completion::whole_choice(size_t answer, const std::string& text) const {
  const std::string content = json::text(readable(prompt_of(answer) + text));
  const std::string finish = finish_of(ends_[answer]);
  if (!kind_.chat) return choice(answer, "\"text\": " + content, finish);
  return choice(answer, R"("message": {"role": "assistant", "content": )" + content + R"(, "refusal": null})",
                finish);
}

void Completion::count(size_t answer, const AnswerEnd& end) {
  make_room(ends_, answer);
  ends_[answer] = end.reason;
  if (answer % static_cast<size_t>(options_.options.answers) == 0) read_ += end.read;
  written_ += end.written;
}

void Completion::open_choice(size_t answer) {
  make_room(open_, answer);
  if (open_[answer]) return;
  open_[answer] = true;
  if (kind_.chat) {
    constexpr const char* kFirst = R"("delta": {"role": "assistant", "content": ""})";
    events_.send(object(kind_.chunk, {choice(answer, kFirst, "null")}, false));
  } else if (!prompts_.empty()) {
    send_text(answer, prompt_of(answer));
  }
}

void Completion::send_text(size_t answer, std::string_view text) {
  const std::string content = json::text(readable(text));
  const std::string member = kind_.chat ? R"("delta": {"content": )" + content + "}" : "\"text\": " + content;
  events_.send(object(kind_.chunk, {choice(answer, member, "null")}, false));
}

void Completion::stream(const std::function<std::vector<std::string>(const WriteOptions&)>& write) {
  WriteOptions& options = options_.options;
  options.on_text = [this](size_t answer, std::string_view text) {
    open_choice(answer);
    send_text(answer, text);
    return !events_.gone();
  };
  options.on_finish = [this](size_t answer, const AnswerEnd& end) {
    open_choice(answer);
    count(answer, end);
    const char* const nothing = kind_.chat ? "\"delta\": {}" : R"("text": "")";
    events_.send(object(kind_.chunk, {choice(answer, nothing, finish_of(end.reason))}, false));
  };
  try {
    write(options);
    if (options_.shows_usage) events_.send(object(kind_.chunk, {}, true));
    events_.send("[DONE]");
  } catch (...) {
    if (!events_.started()) throw;
    events_.send(refused_answer(call_.request.path, std::current_exception()).body);
  }
  events_.end();
}

std::optional<HttpAnswer> Completion::answer(
    const std::function<std::vector<std::string>(const WriteOptions&)>& write) {
  if (options_.streams) {
    stream(write);
    return {};
  }
  options_.options.on_finish = [this](size_t answer, const AnswerEnd& end) { count(answer, end); };
  const std::vector<std::string> texts = write(options_.options);
  std::vector<std::string> choices;
  for (size_t i = 0; i < texts.size(); ++i) choices.push_back(whole_choice(i, texts[i]));
  return HttpAnswer{.body = object(kind_.object, choices, true)};
}

std::string Completion::result_schema(const CompletionKind& kind) {
  const auto text = schema::text, integer = static_cast<std::string (*)()>(schema::integer);
  json::Members choice = {{"index", integer()},
                          {"logprobs", R"({"type": "null"})"},
                          {"finish_reason", R"({"enum": ["stop", "length"]})"}};
  if (kind.chat) {
    choice.emplace_back(
        "message",
        schema::object({{"role", text()}, {"content", text()}, {"refusal", R"({"type": "null"})"}}));
  } else {
    choice.emplace_back("text", text());
  }
  return schema::object({{"id", text()},
                         {"object", text()},
                         {"created", integer()},
                         {"model", text()},
                         {"system_fingerprint", text()},
                         {"choices", schema::list(schema::object(choice))},
                         {"usage", schema::object({{"prompt_tokens", integer()},
                                                   {"completion_tokens", integer()},
                                                   {"total_tokens", integer()}})}});
}

}  // namespace locus::serve
