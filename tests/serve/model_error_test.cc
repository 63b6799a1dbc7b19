// A model that computes NaN for a text: the request is not wrong, and its batch mates have their answers.
#include <gtest/gtest.h>

#include "tests/apply/overflowing.h"
#include "tests/serve/collected_reply.h"

namespace locus::serve {
namespace {

const std::vector<std::string> kTexts = {"The dog chased the ball.", "It ran!",
                                         "Ada Lovelace lives in London."};

TEST(ServeModelError, IsAnAnswerWithStatus500AndTheNumberOfTheText) {
  const Overflowing folder("embed", kTexts);
  Service service({.folder = folder.path()});
  service.wait_until_ready();
  const std::string inputs = "{\"inputs\": " + json::texts(kTexts) + "}";
  expect_refused(service, "/embed", inputs, 500, {"text 2", "NaN", "Backend"});
  const HttpAnswer answer = ask(service, "/v1/embeddings", R"({"input": ["It ran!"]})");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(Parsed(answer.body).text("/error/code"), "model_error");
  EXPECT_NE(answer.log.find("text 1"), std::string::npos);
  EXPECT_EQ(ask(service, "/embed", R"({"inputs": ["The dog chased the ball."]})").status, 200);
}

TEST(ServeModelError, NamesTheTextOfZeroShotClasses) {
  const Overflowing folder("entail", kTexts);
  Service service({.folder = folder.path()});
  service.wait_until_ready();
  expect_refused(
      service, "/classify",
      R"({"inputs": [{"text": "The dog chased the ball."}, {"text": "It ran!"}], "label": ["a", "b"]})", 500,
      {"text 2", "NaN"});
}

// The head has the same weights as the embeddings, so a beam search fails for every text.
TEST(ServeModelError, EndsTranslations) {
  const Overflowing folder("translate", kTexts);
  Service service({.folder = folder.path()});
  service.wait_until_ready();
  for (const char* beams : {"1", "2"}) {
    const std::string body = R"({"text": "It ran!", "beams": )" + std::string(beams) + "}";
    expect_refused(service, "/translate", body, 500, {"NaN"});
  }
  expect_refused(service, "/translate", R"({"text": "It ran!", "beams": 2, "from": "xx"})", 400, {"xx"});
}

}  // namespace
}  // namespace locus::serve
