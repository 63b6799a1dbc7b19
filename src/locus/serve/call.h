// One request to a route, and the list of routes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "locus/serve/fields.h"
#include "locus/serve/heads.h"
#include "locus/serve/http.h"
#include "locus/serve/queue.h"
#include "locus/serve/service_options.h"

namespace locus::serve {

struct Call {
  const HttpRequest& request;
  const ServiceOptions& options;
  const Heads& heads;
  Ticket& ticket;
  Reply& reply;

  ReadOptions reading(bool truncate = false) const { return {.truncate = truncate, .compute = &ticket}; }
  int64_t created() const;  // seconds since 1970
};

inline constexpr std::string_view kJson = "application/json", kEvents = "text/event-stream";

// What answers the requests of a route, and the JSON Schemas of their bodies and of the answers.
struct Handler {
  // Returns the answer, or nothing if it went to the reply in pieces.
  std::optional<HttpAnswer> (*answer)(const Call& call);
  std::string (*result)(const Call& call);          // schema of an answer with status 200
  std::string (*body)(const Call& call) = nullptr;  // a GET has none
  std::string_view type = kJson;                    // of the answer
  std::string_view other_type = "";                 // that the answer may have instead
};

// A handler of bodies that are one object. kRead(call, fields) reads the body, or describes it: then it gets
// no members, and returns at once what it has. kAnswer(call, what kRead returned) answers.
template <auto kRead, auto kAnswer>
std::optional<HttpAnswer> answer_body(const Call& call, const json::Document& body) {
  Fields fields(body);
  auto request = kRead(call, fields);
  fields.done();
  return kAnswer(call, std::move(request));
}
template <auto kRead, auto kAnswer>
std::optional<HttpAnswer> answer_object(const Call& call) {
  return answer_body<kRead, kAnswer>(call, parse_body(call.request.body));
}
template <auto kRead>
std::string schema_of(const Call& call) {
  ObjectSchema schema;
  Fields fields(schema);
  kRead(call, fields);
  return schema.print();
}

struct Route {
  std::string_view method, path;
  Task task;
  const Handler& handler;
  std::string_view summary;
};

std::span<const Route> routes();

// Reads "model". Throws if the name is of another model and --strict-model is set.
std::string model_of(const Call& call, Fields& fields);
// The member "usage" of an answer without new text, and its schema.
std::string usage_of(const Call& call);
std::string usage_schema();
// Reads "truncate".
bool truncates(const Call& call, Fields& fields);

}  // namespace locus::serve
