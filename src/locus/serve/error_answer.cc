#include "locus/serve/error_answer.h"

#include "locus/base/json.h"
#include "locus/serve/schema.h"

namespace locus::serve {
namespace {

struct Kind {
  std::string_view openai, tei;
};

Kind kind_of(int status, std::string_view code) {
  switch (status) {
    case 401:
      return {"authentication_error", "Validation"};
    case 403:
      return {"permission_error", "Validation"};
    case 404:
    case 405:
      return {"not_found_error", "Validation"};
    case 429:
      return {"rate_limit_error", "Overloaded"};
    case 503:
      return {"unavailable_error", "Unhealthy"};
    default:
      break;
  }
  if (status >= 500) return {"server_error", "Backend"};
  return {"invalid_request_error", code == "empty" ? "Empty" : "Validation"};
}

std::string text_or_null(const std::string& text) { return text.empty() ? "null" : json::text(text); }

std::string body_of(std::string_view path, const Refusal& refusal) {
  const Kind kind = kind_of(refusal.status, refusal.code);
  const std::string message = json::text(refusal.message);
  if (!path.starts_with("/v1/")) {
    return json::object({{"error", message}, {"error_type", json::text(kind.tei)}});
  }
  return json::object({{"error", json::object({{"message", message},
                                               {"type", json::text(kind.openai)},
                                               {"param", text_or_null(refusal.param)},
                                               {"code", text_or_null(refusal.code)}})}});
}

// Of an error that the client can correct.
Refusal client_refusal(const Error& error) {
  switch (error.code()) {
    case Code::wrong_head:
      return {.status = 404, .message = error.what(), .code = "unsupported_task"};
    case Code::context_too_long:
      return {.message = error.what(), .code = "context_length_exceeded"};
    case Code::unknown_option:
    case Code::unsupported_field:
      return {.message = error.what(), .code = "unsupported_parameter"};
    default:
      return {.message = error.what(), .code = "invalid_value"};
  }
}

}  // namespace

HttpAnswer error_answer(std::string_view path, const Refusal& refusal) {
  HttpAnswer answer{.status = refusal.status, .body = body_of(path, refusal)};
  if (refusal.status == 429 || refusal.status == 503) answer.headers.emplace_back("retry-after", "1");
  return answer;
}

HttpAnswer error_answer(std::string_view path, const Error& error) {
  switch (error.fault()) {
    case Fault::usage:
    case Fault::data:
      return error_answer(path, client_refusal(error));
    case Fault::resource: {
      HttpAnswer answer = error_answer(path, {.status = 503,
                                              .message = "the server is out of memory for this request",
                                              .code = "out_of_memory"});
      answer.log = error.what();
      return answer;
    }
    case Fault::diverged: {
      HttpAnswer answer = error_answer(path, {.status = 500, .message = error.what(), .code = "model_error"});
      answer.log = error.what();
      return answer;
    }
    default:
      break;
  }
  HttpAnswer answer =
      error_answer(path, {.status = 500,
                          .message = "internal error; the log of the server has its cause under the id in "
                                     "the header x-request-id",
                          .code = "internal_error"});
  answer.log = error.what();
  return answer;
}

std::string error_schema(std::string_view path) {
  const std::string text = schema::text(), maybe = schema::or_null(text);
  if (!path.starts_with("/v1/")) return schema::object({{"error", text}, {"error_type", text}});
  return schema::object(
      {{"error", schema::object({{"message", text}, {"type", text}, {"param", maybe}, {"code", maybe}})}});
}

}  // namespace locus::serve
