#include "locus/serve/error_answer.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>

namespace locus::serve {
namespace {

std::string member(const HttpAnswer& answer, const char* pointer) {
  simdjson::dom::parser parser;
  const simdjson::dom::element found = parser.parse(answer.body).at_pointer(pointer);
  if (found.is_null()) return "null";
  return std::string(std::string_view(found));
}

TEST(ErrorAnswer, HasTheShapeOfOpenAIBelowV1) {
  const HttpAnswer answer =
      error_answer("/v1/embeddings", {.message = "input is \"\"", .code = "invalid_value", .param = "input"});
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_EQ(member(answer, "/error/message"), "input is \"\"");
  EXPECT_EQ(member(answer, "/error/type"), "invalid_request_error");
  EXPECT_EQ(member(answer, "/error/param"), "input");
  EXPECT_EQ(member(answer, "/error/code"), "invalid_value");
  EXPECT_EQ(member(error_answer("/v1/x", {.message = "a"}), "/error/code"), "null");
  EXPECT_EQ(member(error_answer("/v1/x", {.message = "a"}), "/error/param"), "null");
}

TEST(ErrorAnswer, HasTheShapeOfTextEmbeddingsInferenceElsewhere) {
  const HttpAnswer answer = error_answer("/embed", {.status = 413, .message = "too many inputs"});
  EXPECT_EQ(answer.body, R"({"error": "too many inputs", "error_type": "Validation"})");
  EXPECT_EQ(member(error_answer("/v1x", {.message = "a", .code = "empty"}), "/error_type"), "Empty");
}

TEST(ErrorAnswer, TakesTheTypeFromTheStatus) {
  const struct {
    int status;
    const char *openai, *tei;
  } cases[] = {{401, "authentication_error", "Validation"},
               {403, "permission_error", "Validation"},
               {404, "not_found_error", "Validation"},
               {405, "not_found_error", "Validation"},
               {413, "invalid_request_error", "Validation"},
               {415, "invalid_request_error", "Validation"},
               {429, "rate_limit_error", "Overloaded"},
               {431, "invalid_request_error", "Validation"},
               {500, "server_error", "Backend"},
               {501, "server_error", "Backend"},
               {503, "unavailable_error", "Unhealthy"}};
  for (const auto& one : cases) {
    const Refusal refusal{.status = one.status, .message = "m"};
    EXPECT_EQ(member(error_answer("/v1/x", refusal), "/error/type"), one.openai) << one.status;
    EXPECT_EQ(member(error_answer("/x", refusal), "/error_type"), one.tei) << one.status;
    const bool again = one.status == 429 || one.status == 503;
    EXPECT_EQ(error_answer("/x", refusal).headers.size(), again ? 1 : 0) << one.status;
  }
}

TEST(ErrorAnswer, TakesStatusAndCodeFromAnError) {
  const auto answer = [](Fault fault, Code code = Code::none) {
    return error_answer("/v1/x", Error({fault, code, "do that"}, "no such thing"));
  };
  EXPECT_EQ(answer(Fault::data).status, 400);
  EXPECT_EQ(member(answer(Fault::data), "/error/code"), "invalid_value");
  EXPECT_EQ(member(answer(Fault::usage), "/error/message"), "no such thing; do that");
  EXPECT_EQ(member(answer(Fault::data, Code::context_too_long), "/error/code"), "context_length_exceeded");
  EXPECT_EQ(member(answer(Fault::data, Code::unsupported_field), "/error/code"), "unsupported_parameter");
  EXPECT_EQ(answer(Fault::data, Code::wrong_head).status, 404);
}

TEST(ErrorAnswer, KeepsFaultsOfTheServerInItsLog) {
  for (const Fault fault : {Fault::bug, Fault::io, Fault::resource}) {
    const HttpAnswer answer = error_answer("/v1/x", Error(fault, "cannot read /secret/place"));
    EXPECT_EQ(answer.status, fault == Fault::resource ? 503 : 500);
    EXPECT_EQ(answer.body.find("secret"), std::string::npos);
    EXPECT_EQ(answer.log, "cannot read /secret/place");
  }
}

TEST(ErrorAnswer, SaysForWhichTextTheModelFails) {
  const HttpAnswer answer = error_answer("/v1/x", Error(Fault::diverged, "text 2: NaN"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(member(answer, "/error/message"), "text 2: NaN");
  EXPECT_EQ(member(answer, "/error/code"), "model_error");
  EXPECT_EQ(answer.log, "text 2: NaN");
}

}  // namespace
}  // namespace locus::serve
