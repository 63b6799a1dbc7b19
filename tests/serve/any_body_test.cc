// Any body gets an answer: a result or an error of the client, always JSON or events, never a failure of the
// server.
#include <gtest/gtest.h>

#include <random>

#include "locus/text/readable.h"
#include "tests/apply/expected.h"
#include "tests/serve/described.h"

namespace locus::serve {
namespace {

struct Example {
  const char* path;
  const char* body;
};

std::string mutated(std::string body, std::mt19937& random) {
  constexpr const char* kPieces[] = {
      "null", "[]",  "{}",     "-1",   "1e400", "\"\\ud800\"", "\xff", "\"",   "[[",
      "}",    "0.5", "\"a\":", "true", ",",     "99999999999", "\\",   "\"\"", "[1]"};
  for (size_t edits = 1 + random() % 3; edits > 0; --edits) {
    const size_t at = random() % (body.size() + 1);
    switch (random() % 4) {
      case 0:
        body.erase(at, 1 + random() % 8);
        break;
      case 1:
        body.insert(at, kPieces[random() % std::size(kPieces)]);
        break;
      case 2: {  // a member gets another value
        const size_t colon = body.find(": ", at);
        if (colon == std::string::npos) break;
        const size_t end = body.find_first_of(",}", colon);
        body.replace(colon + 2, (end == std::string::npos ? body.size() : end) - colon - 2,
                     kPieces[random() % std::size(kPieces)]);
        break;
      }
      default:
        if (at < body.size()) body[at] = static_cast<char>(random() % 256);
    }
  }
  return body;
}

// What a route accepts and answers fits its schemas in the OpenAPI document.
void expect_described(const Described& described, const char* path, const std::string& body,
                      const HttpAnswer& answer) {
  EXPECT_EQ(described.mismatch_of_body(path, body), "") << path << " " << readable(body);
  if (answer.type != "application/json") return;
  EXPECT_EQ(described.mismatch_of_result(path, answer.body), "") << path << " " << answer.body;
}

void try_bodies(const std::string& job, std::initializer_list<Example> examples) {
  Service service({.folder = golden_model(job)});
  service.wait_until_ready();
  const Described described(service);
  std::mt19937 random(11);
  for (const Example& example : examples) {
    const HttpAnswer whole = ask(service, example.path, example.body);
    EXPECT_EQ(whole.status, 200) << example.path << " " << example.body;
    expect_described(described, example.path, example.body, whole);
    for (int i = 0; i < 150; ++i) {
      const std::string body = mutated(example.body, random);
      const HttpAnswer answer = ask(service, example.path, body);
      EXPECT_TRUE(answer.status == 200 || (answer.status >= 400 && answer.status < 500))
          << answer.status << " " << example.path << " " << readable(body) << "\n"
          << answer.body << answer.log;
      EXPECT_TRUE(is_utf8(answer.body)) << readable(body);
      if (answer.type == "application/json") Parsed(answer.body).at("");
      if (answer.status == 200) expect_described(described, example.path, body, answer);
    }
  }
}

TEST(AnyBody, OfEmbeddings) {
  try_bodies(
      "embed",
      {{"/v1/embeddings", R"({"input": ["the dog", "it"], "model": "m", "dimensions": 4, "user": "u"})"},
       {"/v1/embeddings", R"({"input": [[3, 4], [5]], "encoding_format": "base64"})"},
       {"/embed", R"({"inputs": "the dog", "normalize": true, "truncate": true})"},
       {"/embed_all", R"({"inputs": ["the dog", "it"], "truncate": false})"},
       {"/similarity", R"({"inputs": {"source_sentence": "a", "sentences": ["b"]}, "parameters": {}})"},
       {"/tokenize", R"({"inputs": ["the dog"], "add_special_tokens": false})"},
       {"/decode", R"({"ids": [[3, 4]], "skip_special_tokens": true})"},
       {"/", R"({"inputs": {"source_sentence": "a", "sentences": ["b"]}})"}});
}

TEST(AnyBody, OfClassifiers) {
  try_bodies(
      "entail",
      {{"/classify", R"({"text": "the dog", "label": ["a", "b"], "claim": "It is {}.", "truncate": true})"},
       {"/classify", R"([{"text": "the dog", "text_pair": "it"}, {"text": "it"}])"},
       {"/predict", R"({"inputs": [["a"], ["a", "b"]], "raw_scores": false})"},
       {"/", R"({"inputs": "a", "parameters": {"candidate_labels": ["b", "c"], "multi_label": true}})"}});
  try_bodies("tag", {{"/tag", R"({"text": "the dog", "offsets": "bytes"})"},
                     {"/", R"({"inputs": ["the dog"], "parameters": {"aggregation_strategy": "simple"}})"}});
  try_bodies("fill", {{"/fill", R"({"text": "The [MASK] sat.", "top": 2})"},
                      {"/", R"({"inputs": "The [MASK] sat.", "parameters": {"top_k": 2}})"}});
  try_bodies("answer",
             {{"/answer", R"({"question": "who?", "context": "it ran.", "window": 30, "overlap": 2})"},
              {"/", R"({"inputs": {"question": "who?", "context": "it ran."}})"}});
}

TEST(AnyBody, OfGenerators) {
  try_bodies("write",
             {{"/v1/completions",
               R"({"prompt": ["a", "b"], "max_tokens": 2, "temperature": 1, "n": 2, "stop": "x"})"},
              {"/v1/completions", R"({"prompt": [3, 4], "max_tokens": 2, "stream": true, "seed": 3})"},
              {"/generate", R"({"prompt": "a", "max_tokens": 2, "top_k": 3, "beams": 1, "stop": ["x"]})"},
              {"/", R"({"inputs": "a", "parameters": {"max_new_tokens": 2, "do_sample": true}})"}});
  try_bodies("translate", {{"/translate", R"({"text": "the dog", "beams": 2, "max_tokens": 3})"}});
}

// An error shows the beginning of a value, which must not end within a character.
TEST(AnyBody, OfLongValuesIsAnsweredInUtf8) {
  Service service({.folder = golden_model("embed")});
  service.wait_until_ready();
  for (size_t ascii = 70; ascii < 90; ++ascii) {
    std::string value(ascii, 'a');
    for (int i = 0; i < 20; ++i) value += "\xf0\x9f\x90\x95";
    const HttpAnswer answer =
        ask(service, "/v1/embeddings", R"({"input": "a", "encoding_format": ")" + value + "\"}");
    EXPECT_EQ(answer.status, 400);
    EXPECT_TRUE(is_utf8(answer.body)) << ascii << answer.body;
  }
}

}  // namespace
}  // namespace locus::serve
