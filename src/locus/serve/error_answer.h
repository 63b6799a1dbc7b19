// The answers of the server to requests that fail. Paths of the OpenAI API, /v1/..., answer
//   {"error": {"message", "type", "param", "code"}}
// and all others as Text Embeddings Inference does: {"error", "error_type"}. The status decides the type:
//
//   status              | OpenAI type           | TEI error_type
//   400 413 415 417 431 | invalid_request_error | Validation, or Empty if code is "empty"
//   401                 | authentication_error  | Validation
//   403                 | permission_error      | Validation
//   404 405             | not_found_error       | Validation
//   429                 | rate_limit_error      | Overloaded
//   503                 | unavailable_error     | Unhealthy
//   5xx                 | server_error          | Backend
#pragma once

#include <string>
#include <string_view>

#include "locus/base/error.h"
#include "locus/serve/http.h"

namespace locus::serve {

struct Refusal {
  int status = 400;
  std::string message;
  std::string code = {};   // OpenAI's code, for example "queue_full"; empty: null
  std::string param = {};  // the field of the request that is wrong; empty: null
};

// Answers with 429 and 503 ask the client to try again after a second.
HttpAnswer error_answer(std::string_view path, const Refusal& refusal);

// The status follows from fault and code. The message of a fault that is not the client's can name files of
// the server. It goes to the log instead of the answer, except for numbers that a model computes and that are
// not finite (Fault::diverged).
HttpAnswer error_answer(std::string_view path, const Error& error);

// The JSON Schema of the bodies of such answers.
std::string error_schema(std::string_view path);

}  // namespace locus::serve
