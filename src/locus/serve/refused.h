// An error with the status and code of its answer. Errors without them are translated by error_answer().
#pragma once

#include <exception>

#include "locus/serve/error_answer.h"

namespace locus::serve {

struct RefusalKind {
  int status;
  const char* code;
};

inline constexpr RefusalKind kInvalid = {400, "invalid_value"};
inline constexpr RefusalKind kEmpty = {400, "empty"};
inline constexpr RefusalKind kUnsupported = {400, "unsupported_parameter"};
inline constexpr RefusalKind kNotFound = {404, "not_found"};
inline constexpr RefusalKind kNoTask = {404, "unsupported_task"};
inline constexpr RefusalKind kNoModel = {404, "model_not_found"};
inline constexpr RefusalKind kWrongMethod = {405, "method_not_allowed"};
inline constexpr RefusalKind kTooLarge = {413, "request_too_large"};
inline constexpr RefusalKind kWrongType = {415, "unsupported_media_type"};
inline constexpr RefusalKind kFull = {429, "queue_full"};
inline constexpr RefusalKind kGone = {499, "client_closed_request"};
inline constexpr RefusalKind kTemplate = {501, "unsupported_template"};
inline constexpr RefusalKind kLoading = {503, "loading"};
inline constexpr RefusalKind kDraining = {503, "draining"};
inline constexpr RefusalKind kDeadline = {503, "deadline"};
inline constexpr RefusalKind kStuck = {503, "stuck"};

class Refused : public Error {
 public:
  // `param` is the member of the request that is wrong, or empty.
  Refused(const RefusalKind& kind, const std::string& message, const std::string& param = "")
      : Error(Fault::data, message), refusal_{kind.status, message, kind.code, param} {}
  const Refusal& refusal() const { return refusal_; }

 private:
  Refusal refusal_;
};

// Why a text that was read has no result: not the request is wrong, but what the model computes. The status
// becomes 500.
Error model_error(const Error& error);

// The answer to a request that failed with this exception.
HttpAnswer refused_answer(std::string_view path, const std::exception_ptr& failure);

}  // namespace locus::serve
