#include <gtest/gtest.h>

#include <ctime>
#include <fstream>

#include "locus/text/base64.h"
#include "tests/apply/expected.h"
#include "tests/serve/collected_reply.h"

namespace locus::serve {
namespace {

class EmbedRoutes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    service = std::make_unique<Service>(ServiceOptions{.folder = golden_model("embed")});
    service->wait_until_ready();
  }
  static void TearDownTestSuite() { service.reset(); }
  static std::vector<float> vector_of(const std::string& text) {
    static const Embedder embedder(golden_model("embed"));
    const std::vector<std::string> texts = {text};
    const Tensor vector = embedder.embed(texts);
    const auto numbers = vector.data<float>();
    return {numbers.begin(), numbers.end()};
  }
  static std::unique_ptr<Service> service;
};
std::unique_ptr<Service> EmbedRoutes::service;

TEST_F(EmbedRoutes, OpenAiAnswersEachTextWithItsVector) {
  for (const char* path : {"/v1/embeddings", "/embeddings"}) {
    const HttpAnswer answer = ask(*service, path, R"({"input": ["The dog ran.", "It sat."], "model": "x"})");
    ASSERT_EQ(answer.status, 200) << answer.body;
    const Parsed parsed(answer.body);
    EXPECT_EQ(parsed.text("/object"), "list");
    EXPECT_EQ(parsed.text("/model"), "embed");
    EXPECT_EQ(parsed.number("/data/1/index"), 1);
    EXPECT_EQ(parsed.numbers("/data/0/embedding"), vector_of("The dog ran."));
    EXPECT_EQ(parsed.numbers("/data/1/embedding"), vector_of("It sat."));
    EXPECT_GT(parsed.number("/usage/prompt_tokens"), 0);
    EXPECT_EQ(parsed.number("/usage/prompt_tokens"), parsed.number("/usage/total_tokens"));
  }
}

TEST_F(EmbedRoutes, Base64HasTheSameBits) {
  const Parsed parsed(
      ask(*service, "/v1/embeddings", R"({"input": "The dog ran.", "encoding_format": "base64"})").body);
  const std::string bytes = base64_decoded(parsed.text("/data/0/embedding")).value();
  const std::vector<float> expected = vector_of("The dog ran.");
  ASSERT_EQ(bytes.size(), expected.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), bytes.size()), 0);
}

TEST_F(EmbedRoutes, TokenIdsAreReadAsTheyAre) {
  const Embedder embedder(golden_model("embed"));
  const std::vector<std::string> texts = {"The dog ran."};
  const std::vector<Encoding> encoded = embedder.read(texts);
  const std::string ids = json::numbers(encoded[0].ids);
  const Parsed one(ask(*service, "/v1/embeddings", R"({"input": )" + ids + "}").body);
  EXPECT_EQ(one.numbers("/data/0/embedding"), vector_of("The dog ran."));
  const Parsed two(ask(*service, "/v1/embeddings", R"({"input": [[3, 4], )" + ids + "]}").body);
  EXPECT_EQ(two.numbers("/data/1/embedding"), vector_of("The dog ran."));
}

TEST_F(EmbedRoutes, DimensionsAreCutAndNormalized) {
  const Parsed parsed(ask(*service, "/v1/embeddings", R"({"input": "The dog ran.", "dimensions": 3})").body);
  std::vector<float> expected = vector_of("The dog ran.");
  expected.resize(3);
  scale_to_length_one(expected);
  EXPECT_EQ(parsed.numbers("/data/0/embedding"), expected);
}

TEST_F(EmbedRoutes, TeiNormalizesUnlessToldOtherwise) {
  std::vector<float> expected = vector_of("The dog ran.");
  const Parsed plain(ask(*service, "/embed", R"({"inputs": "The dog ran.", "normalize": false})").body);
  EXPECT_EQ(plain.numbers("/0"), expected);
  scale_to_length_one(expected);
  const Parsed unit(ask(*service, "/embed", R"({"inputs": ["The dog ran."]})").body);
  EXPECT_EQ(unit.numbers("/0"), expected);
}

TEST_F(EmbedRoutes, EmbedAllHasARowForEachToken) {
  const Embedder embedder(golden_model("embed"));
  const std::vector<std::string> texts = {"The dog ran."};
  const std::vector<Encoding> encoded = embedder.read(texts);
  const Parsed parsed(ask(*service, "/embed_all", R"({"inputs": ["The dog ran.", "It sat."]})").body);
  EXPECT_EQ(parsed.count("/0"), encoded[0].size());
  std::vector<float> first = embedder.states(encoded)[0];
  first.resize(12);
  EXPECT_EQ(parsed.numbers("/0/0"), first);
}

TEST_F(EmbedRoutes, SimilarityIsTheCosine) {
  const Parsed parsed(
      ask(*service, "/similarity",
          R"({"inputs": {"source_sentence": "It sat.", "sentences": ["It sat.", "The dog ran."]}})")
          .body);
  EXPECT_NEAR(parsed.number("/0"), 1, 1e-6);
  EXPECT_LT(parsed.number("/1"), 0.9999);
}

TEST_F(EmbedRoutes, RefusesBadInput) {
  const auto refused = [](const char* body, int status, std::initializer_list<const char*> values) {
    expect_refused(*service, "/v1/embeddings", body, status, values);
  };
  refused("", 400, {"request body"});
  refused("[]", 400, {"object"});
  refused("{\"input\": \"\xff\"}", 400, {"request body"});
  refused(R"({})", 400, {"'input' is missing", R"("param": "input")"});
  refused(R"({"input": 3})", 400, {"'input' is 3"});
  refused(R"({"input": []})", 400, {"empty"});
  refused(R"({"input": [""], "input": "b"})", 400, {"twice"});
  refused(R"({"input": ["a", 1]})", 400, {"'input'"});
  refused(R"({"input": [[1], "a"]})", 400, {"'input'"});
  refused(R"({"input": [[1, 2.5]]})", 400, {"'input'"});
  refused(R"({"input": [100000]})", 400, {"100000", "check_embedding_ctx_length"});
  refused(R"({"input": [[-5]]})", 400, {"-1"});
  refused(R"({"input": "a", "dimensions": 13})", 400, {"13", "12"});
  refused(R"({"input": "a", "dimensions": 0})", 400, {"12"});
  refused(R"({"input": "a", "encoding_format": "hex"})", 400, {"hex", "base64"});
  refused(R"({"input": "a", "prompt_name": "nothing"})", 400, {"nothing"});
  refused(R"({"input": "a", "demensions": 3})", 400, {"unsupported_parameter", "demensions", "dimensions"});
  const std::string deep(200, '[');
  refused(("{\"input\": " + deep + std::string(200, ']') + "}").c_str(), 400, {"request body"});
  std::string many = "[\"a\"";
  for (int i = 0; i < 2048; ++i) many += ", \"a\"";
  refused(("{\"input\": " + many + "]}").c_str(), 413, {"2049", "2048"});
  std::string words = "dog";
  for (int i = 0; i < 200; ++i) words += " dog";
  refused(("{\"input\": [\"a\", \"" + words + "\"]}").c_str(), 400, {"context_length_exceeded", "text 2"});
  expect_refused(*service, "/embed", R"({"inputs": "a", "truncation_direction": "left"})", 400,
                 {"error_type", "left"});
  expect_refused(*service, "/similarity", R"({"inputs": {"source_sentence": "a", "sentences": []}})", 400,
                 {"sentences", "Empty"});
}

TEST_F(EmbedRoutes, RefusesOtherRoutes) {
  expect_refused(*service, "/v1/embedings", "{}", 404, {"did you mean '/v1/embeddings'"});
  EXPECT_EQ(get(*service, "/embed").status, 405);
  const auto reply = std::make_shared<CollectedReply>();
  service->handle({.method = "POST", .path = "/embed", .body = "{}"}, reply);
  EXPECT_EQ(reply->wait().status, 415);
}

TEST_F(EmbedRoutes, PromptsAndNormalizationAreThoseOfTheFolder) {
  Service last({.folder = golden_model("embed_last")});
  last.wait_until_ready();
  const Embedder embedder(golden_model("embed_last"));
  const std::vector<std::string> texts = {"The dog ran."};
  for (const char* prompt : {"query", "document"}) {
    const Tensor vector = embedder.embed(texts, {}, prompt);
    const auto numbers = vector.data<float>();
    std::vector<float> expected(numbers.begin(), numbers.end());
    const std::string body = fmt::format(R"("The dog ran.", "prompt_name": "{}"}})", prompt);
    EXPECT_EQ(Parsed(ask(last, "/v1/embeddings", R"({"input": )" + body).body).numbers("/data/0/embedding"),
              expected);
    if (!embedder.normalizes()) scale_to_length_one(expected);
    EXPECT_EQ(Parsed(ask(last, "/embed", R"({"inputs": )" + body).body).numbers("/0"), expected);
  }
  expect_refused(last, "/embed", R"({"inputs": "a", "prompt_name": "qery"})", 400, {"query"});
}

TEST_F(EmbedRoutes, OptionsRefuseTokenIdsAndOtherModels) {
  Service strict({.folder = golden_model("embed"), .name = "mine", .token_ids = false, .strict_model = true});
  strict.wait_until_ready();
  expect_refused(strict, "/v1/embeddings", R"({"input": [3, 4]})", 400, {"token ids", "input"});
  expect_refused(strict, "/v1/embeddings", R"({"input": "a", "model": "theirs"})", 404,
                 {"model_not_found", "theirs", "mine"});
  EXPECT_EQ(ask(strict, "/v1/embeddings", R"({"input": "a", "model": "mine"})").status, 200);
}

TEST_F(EmbedRoutes, DescribesItself) {
  EXPECT_EQ(get(*service, "/health").status, 200);
  EXPECT_EQ(get(*service, "/ping").status, 200);
  EXPECT_EQ(Parsed(get(*service, "/v1/models").body).text("/data/0/id"), "embed");
  EXPECT_EQ(Parsed(get(*service, "/v1/models/embed").body).text("/id"), "embed");
  EXPECT_EQ(get(*service, "/v1/models/other").status, 404);
  const Parsed info(get(*service, "/info").body);
  EXPECT_EQ(info.text("/model_id"), "embed");
  EXPECT_EQ(info.number("/max_client_batch_size"), 2048);
  ask(*service, "/embed", R"({"inputs": "a"})");
  const std::string metrics = get(*service, "/metrics").body;
  EXPECT_NE(metrics.find("locus_requests_total{route=\"/embed\",code=\"200\"}"), std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("locus_batch_tokens_count"), std::string::npos);
}

double metric(Service& service, const std::string& name) {
  const std::string text = get(service, "/metrics").body;
  const size_t at = text.find("\n" + name + " ");
  EXPECT_NE(at, std::string::npos) << name << text;
  return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 2));
}

const std::time_t kProgramStart = std::time(nullptr);

double cpu_clock() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST_F(EmbedRoutes, MeasuresTheTimesOfTheProcess) {
  EXPECT_NEAR(metric(*service, "process_start_time_seconds"), static_cast<double>(kProgramStart), 30);
  const double before = metric(*service, "process_cpu_seconds_total");
  EXPECT_NEAR(before, cpu_clock(), 0.1);
  for (const double begin = cpu_clock(); cpu_clock() < begin + 0.3;) {
  }
  EXPECT_NEAR(metric(*service, "process_cpu_seconds_total"), cpu_clock(), 0.1);
  EXPECT_GT(metric(*service, "process_cpu_seconds_total"), before + 0.2);
}

TEST_F(EmbedRoutes, MeasuresMemoryDescriptorsAndConnections) {
  const double resident = metric(*service, "process_resident_memory_bytes");
  constexpr size_t kBlock = size_t{128} << 20;
  const std::vector<char> block(kBlock, 1);
  const double grown = metric(*service, "process_resident_memory_bytes") - resident;
  EXPECT_NEAR(grown, static_cast<double>(kBlock), 0.25 * static_cast<double>(kBlock)) << block.back();
  const double before = metric(*service, "process_open_fds");
  const std::ifstream one("/proc/self/stat"), two("/proc/self/stat");
  EXPECT_EQ(metric(*service, "process_open_fds"), before + 2);
  service->set_connections(7);
  EXPECT_EQ(metric(*service, "locus_connections"), 7);
}

}  // namespace
}  // namespace locus::serve
