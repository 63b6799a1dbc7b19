// Routes that generate text, whole and as streams.
#include <gtest/gtest.h>

#include <random>

#include "locus/apply/result_json.h"
#include "locus/text/readable.h"
#include "tests/apply/expected.h"
#include "tests/serve/collected_reply.h"

namespace locus::serve {
namespace {

// The golden decoder with a chat template.
class WriteRoutes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<CopyOf>("write");
    put(*folder / "chat_template.jinja",
        "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{{ extra }}");
    service = std::make_unique<Service>(ServiceOptions{.folder = folder->path(), .name = "golden"});
    service->wait_until_ready();
  }
  static void TearDownTestSuite() {
    service.reset();
    folder.reset();
  }
  static std::string written(const std::string& prompt, int64_t most, float temperature = 0,
                             uint64_t seed = 0) {
    static const Writer writer(folder->path());
    WriteOptions options = writer.defaults();
    options.max_tokens = most;
    options.sampling.temperature = temperature;
    options.seed = seed;
    return readable(writer.write(std::vector<std::string>{prompt}, options).at(0));
  }
  // The data of the events of a stream; the last one must be [DONE].
  static std::vector<std::string> events_of(const std::string& body) {
    std::vector<std::string> events;
    for (size_t begin = 0, end = 0; (end = body.find("\n\n", begin)) != std::string::npos; begin = end + 2) {
      EXPECT_EQ(body.compare(begin, 6, "data: "), 0);
      events.push_back(body.substr(begin + 6, end - begin - 6));
    }
    EXPECT_FALSE(events.empty());
    if (events.empty() || events.back() != "[DONE]") {
      ADD_FAILURE() << body;
    } else {
      events.pop_back();
    }
    return events;
  }
  static std::unique_ptr<CopyOf> folder;
  static std::unique_ptr<Service> service;
};
std::unique_ptr<CopyOf> WriteRoutes::folder;
std::unique_ptr<Service> WriteRoutes::service;

TEST_F(WriteRoutes, CompletionsContinuePrompts) {
  const Parsed parsed(
      ask(*service, "/v1/completions", R"({"model": "m", "prompt": ["the dog", "it"], "max_tokens": 5})")
          .body);
  EXPECT_EQ(parsed.text("/object"), "text_completion");
  EXPECT_EQ(parsed.text("/model"), "golden");
  EXPECT_TRUE(parsed.text("/id").starts_with("cmpl-"));
  EXPECT_TRUE(parsed.text("/system_fingerprint").starts_with("locus-"));
  EXPECT_EQ(parsed.text("/choices/0/text"), written("the dog", 5));
  EXPECT_EQ(parsed.text("/choices/1/text"), written("it", 5));
  EXPECT_EQ(parsed.text("/choices/1/finish_reason"), "length");
  EXPECT_EQ(parsed.number("/usage/completion_tokens"), 10);
  EXPECT_EQ(parsed.number("/usage/total_tokens"),
            parsed.number("/usage/prompt_tokens") + parsed.number("/usage/completion_tokens"));
}

TEST_F(WriteRoutes, SeveralAnswersHaveTheirOwnSeeds) {
  const Parsed parsed(ask(*service, "/v1/completions",
                          R"({"prompt": "the dog", "n": 3, "seed": 5, "temperature": 1, "max_tokens": 6,
                              "echo": true})")
                          .body);
  for (int i = 0; i < 3; ++i) {
    const uint64_t seed = 5 + static_cast<uint64_t>(i);
    EXPECT_EQ(parsed.text("/choices/" + std::to_string(i) + "/text"),
              "the dog" + written("the dog", 6, 1, seed));
  }
}

TEST_F(WriteRoutes, AStreamHasTheSameText) {
  for (const char* echo : {"false", "true"}) {
    const std::string body = ask(*service, "/v1/completions",
                                 std::string(R"({"prompt": ["the dog", "it"], "max_tokens": 8, "stream": true,
                                     "stream_options": {"include_usage": true}, "echo": )") +
                                     echo + "}")
                                 .body;
    const std::vector<std::string> events = events_of(body);
    std::vector<std::string> texts(2), ends(2);
    for (size_t i = 0; i + 1 < events.size(); ++i) {
      const Parsed event(events[i]);
      const auto index = static_cast<size_t>(event.number("/choices/0/index"));
      texts[index] += event.text("/choices/0/text");
      EXPECT_TRUE(ends[index].empty());
      EXPECT_TRUE(event.at("/usage").is_null());
      if (!event.at("/choices/0/finish_reason").is_null())
        ends[index] = event.text("/choices/0/finish_reason");
    }
    const std::string before = echo == std::string("true") ? "the dog" : "";
    EXPECT_EQ(texts[0], before + written("the dog", 8));
    EXPECT_EQ(ends, (std::vector<std::string>{"length", "length"}));
    const Parsed last(events.back());
    EXPECT_EQ(last.count("/choices"), 0U);
    EXPECT_EQ(last.number("/usage/completion_tokens"), 16);
  }
}

TEST_F(WriteRoutes, ChatAppliesTheTemplate) {
  const std::string messages = R"("messages": [{"role": "user", "content": "the dog"}])";
  const Parsed whole(
      ask(*service, "/v1/chat/completions", "{" + messages + R"(, "max_completion_tokens": 6})").body);
  EXPECT_EQ(whole.text("/object"), "chat.completion");
  EXPECT_EQ(whole.text("/choices/0/message/role"), "assistant");
  EXPECT_EQ(whole.text("/choices/0/message/content"), written("user:the dog;", 6));
  EXPECT_TRUE(whole.at("/choices/0/message/refusal").is_null());
  const std::string parts =
      R"("messages": [{"role": "user", "content": [{"type": "text", "text": "the "}, {"type": "text", "text": "dog"}]}])";
  const std::vector<std::string> events = events_of(
      ask(*service, "/v1/chat/completions", "{" + parts + R"(, "max_tokens": 6, "stream": true})").body);
  EXPECT_EQ(Parsed(events[0]).text("/object"), "chat.completion.chunk");
  EXPECT_EQ(Parsed(events[0]).text("/choices/0/delta/role"), "assistant");
  std::string text;
  for (const std::string& event : events) {
    const Parsed chunk(event);
    std::string_view piece;
    if (chunk.at("/choices/0/delta").at_key("content").get(piece) == simdjson::SUCCESS) text += piece;
  }
  EXPECT_EQ(text, whole.text("/choices/0/message/content"));
  EXPECT_EQ(Parsed(events.back()).text("/choices/0/finish_reason"), "length");
}

TEST_F(WriteRoutes, ApplyTemplateShowsTheText) {
  EXPECT_EQ(
      ask(*service, "/apply-template",
          R"({"messages": [{"role": "user", "content": "hi"}], "chat_template_kwargs": {"extra": "!"}})")
          .body,
      R"({"prompt": "user:hi;!"})");
}

TEST_F(WriteRoutes, GenerateAnswersTheObjectOfTheCommand) {
  const std::string text = written("the dog", 5);
  EXPECT_EQ(ask(*service, "/generate", R"({"prompt": "the dog", "max_tokens": 5})").body,
            generated_json("the dog", text, StopReason::length));
  EXPECT_EQ(ask(*service, "/generate", R"({"inputs": [{"prompt": "the dog"}], "max_tokens": 5})").body,
            "[" + generated_json("the dog", text, StopReason::length) + "]");
}

TEST_F(WriteRoutes, TranslateSearchesBeams) {
  Service translate({.folder = golden_model("translate")});
  translate.wait_until_ready();
  EXPECT_EQ(Parsed(ask(translate, "/translate", R"({"text": "The dog chased the ball."})").body)
                .text("/translation"),
            "y y y y y y y");
  EXPECT_EQ(Parsed(ask(translate, "/translate", R"({"text": "The dog chased the ball.", "beams": 1})").body)
                .text("/translation"),
            "it it itvvvv");
  expect_refused(translate, "/v1/chat/completions", R"({"messages": []})", 404, {"/translate"});
  expect_refused(translate, "/translate", R"({"text": "a", "to": "xx"})", 400, {"xx"});
  expect_refused(translate, "/translate", R"({"text": "a", "beams": 0})", 400, {"beams"});
}

// Many requests at once, streamed and not, sampled and not: every answer is the one of the request alone.
TEST_F(WriteRoutes, BatchMatesNeverChangeAnAnswer) {
  std::mt19937 random(3);
  struct Prompted {
    std::string prompt;
    int64_t most;
    float temperature;
    uint64_t seed;
  };
  std::vector<Prompted> asked;
  std::vector<std::shared_ptr<CollectedReply>> replies;
  for (int i = 0; i < 60; ++i) {
    const Prompted& one = asked.emplace_back(
        Prompted{std::string(1 + random() % 20, static_cast<char>('a' + random() % 9)),
                 1 + static_cast<int64_t>(random() % 12), random() % 2 ? 0.0f : 1.0f, random() % 100});
    replies.push_back(
        start(*service, "/v1/completions",
              fmt::format(R"({{"prompt": "{}", "max_tokens": {}, "temperature": {}, "seed": {}}})",
                          one.prompt, one.most, one.temperature, one.seed)));
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    const Prompted& one = asked[i];
    EXPECT_EQ(Parsed(replies[i]->wait().body).text("/choices/0/text"),
              written(one.prompt, one.most, one.temperature, one.seed));
  }
}

TEST_F(WriteRoutes, AClientThatLeavesEndsItsGeneration) {
  auto reply = std::make_shared<CollectedReply>();
  reply->leave_after(2);
  HttpRequest request{.method = "POST", .path = "/v1/completions"};
  request.headers["content-type"] = "application/json";
  request.body = R"({"prompt": "the dog", "max_tokens": 40, "stream": true})";
  service->handle(request, reply);
  reply->wait();
  EXPECT_LT(reply->pieces(), 10);
  EXPECT_EQ(ask(*service, "/generate", R"({"prompt": "the dog", "max_tokens": 5})").body,
            generated_json("the dog", written("the dog", 5), StopReason::length));
}

TEST_F(WriteRoutes, CompletionsRefuseBadInput) {
  const auto refused = [](const std::string& members, std::initializer_list<const char*> values) {
    expect_refused(*service, "/v1/completions", R"({"prompt": "a", "max_tokens": 1)" + members + "}", 400,
                   values);
  };
  refused(R"(, "n": 0)", {"'n'", "invalid_value"});
  refused(R"(, "n": 2, "beams": 2)", {"beam"});
  refused(R"(, "temperature": -1)", {"temperature"});
  refused(R"(, "temperature": "hot")", {"temperature"});
  refused(R"(, "top_p": 1.5)", {"top_p"});
  refused(R"(, "seed": 1.5)", {"seed"});
  refused(R"(, "stop": "")", {"stop"});
  refused(R"(, "stop": ["a", 1])", {"stop"});
  refused(R"(, "stream": "yes")", {"stream"});
  refused(R"(, "logprobs": 1)", {"unsupported_parameter", "logprobs"});
  refused(R"(, "logit_bias": {"5": 100})", {"unsupported_parameter", "logit_bias"});
  refused(R"(, "suffix": "b")", {"unsupported_parameter", "suffix"});
  refused(R"(, "presence_penalty": 1)", {"unsupported_parameter", "presence_penalty"});
  refused(R"(, "best_of": 2)", {"unsupported_parameter", "best_of"});
  refused(R"(, "temprature": 1)", {"temprature", "temperature"});
  expect_refused(*service, "/v1/completions", R"({"prompt": "a", "max_tokens": 0})", 400, {"max_tokens"});
  expect_refused(*service, "/v1/completions", R"({"prompt": [100000]})", 400, {"100000"});
  expect_refused(*service, "/v1/completions",
                 R"({"prompt": ")" + std::string(80, 'x') + "\", \"stream\": true}", 400,
                 {"context_length_exceeded", "48"});
  EXPECT_EQ(ask(*service, "/v1/completions",
                R"({"prompt": "a", "max_tokens": 1, "user": "u", "metadata": {}, "store": false,
                    "service_tier": "auto", "logit_bias": {}, "presence_penalty": 0, "logprobs": null})")
                .status,
            200);
}

TEST_F(WriteRoutes, ChatRefusesBadInput) {
  const auto refused = [](const std::string& body, std::initializer_list<const char*> values) {
    expect_refused(*service, "/v1/chat/completions", body, 400, values);
  };
  const std::string messages = R"({"messages": [{"role": "user", "content": "a"}])";
  refused("{}", {"messages"});
  refused(R"({"messages": []})", {"messages"});
  refused(R"({"messages": [3]})", {"messages[0]"});
  refused(R"({"messages": [{"content": "a"}]})", {"messages[0]"});
  refused(R"({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]})",
          {"unsupported_parameter", "messages[0].content"});
  refused(messages + R"(, "tools": [{"type": "function"}]})", {"unsupported_parameter", "tools"});
  refused(messages + R"(, "tool_choice": "auto"})", {"tool_choice"});
  refused(messages + R"(, "response_format": {"type": "json_object"}})", {"response_format"});
  refused(messages + R"(, "top_logprobs": 2})", {"top_logprobs"});
  refused(messages + R"(, "stream_options": {"usage": true}})", {"stream_options.usage"});
  EXPECT_EQ(ask(*service, "/v1/chat/completions",
                messages + R"(, "max_tokens": 1, "response_format": {"type": "text"}, "tool_choice": "none",
                             "logprobs": false, "tools": null})")
                .status,
            200);
}

TEST(ChatRoute, ATemplateThatCannotBeReadIsNotImplemented) {
  const CopyOf folder("write");
  put(folder / "chat_template.jinja", "{% nonsense %}");
  Service service({.folder = folder.path()});
  service.wait_until_ready();
  expect_refused(service, "/v1/chat/completions", R"({"messages": [{"role": "user", "content": "a"}]})", 501,
                 {"nonsense"});
  EXPECT_EQ(ask(service, "/v1/completions", R"({"prompt": "a", "max_tokens": 1})").status, 200);
}

TEST(ChatRoute, AFolderWithoutATemplateDoesNotChat) {
  Service service({.folder = golden_model("write")});
  service.wait_until_ready();
  expect_refused(service, "/v1/chat/completions", "{}", 404, {"/v1/completions"});
}

}  // namespace
}  // namespace locus::serve
