// GET /openapi.json: the routes that this folder serves, as an OpenAPI 3.1 document. The schemas of bodies
// come from the functions that read them (fields.h).
#include <algorithm>
#include <cctype>
#include <map>

#include "locus/base/json.h"
#include "locus/base/version.h"
#include "locus/serve/handlers.h"

namespace locus::serve {
namespace {

using Operations = std::map<std::string, json::Members>;  // of each path, by method

std::string content(std::string_view type, const std::string& schema) {
  return json::object({{type, json::object({{"schema", schema}})}});
}

std::string error_ref(std::string_view path) {
  const char* const name = path.starts_with("/v1/") ? "OpenAiError" : "Error";
  return fmt::format(R"({{"$ref": "#/components/schemas/{}"}})", name);
}

std::string responses(const Route& route, const Call& call) {
  json::Members types = {{route.handler.type, json::object({{"schema", route.handler.result(call)}})}};
  if (!route.handler.other_type.empty()) {
    types.emplace_back(route.handler.other_type, "{}");  // events have no schema in OpenAPI 3.1
  }
  return json::object(
      {{"200", json::object({{"description", json::text("The result")}, {"content", json::object(types)}})},
       {"default", json::object({{"description", json::text("An error")},
                                 {"content", content(kJson, error_ref(route.path))}})}});
}

// A unique name for programs that write clients: "post_v1_embeddings".
std::string operation_id(std::string_view method, std::string_view path) {
  std::string id;
  for (const char c : method) id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char c : path) id += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return id;
}

void add_route(Operations& operations, const Route& route, const Call& call) {
  std::string path(route.path);
  json::Members operation = {{"operationId", json::text(operation_id(route.method, route.path))},
                             {"summary", json::text(route.summary)}};
  if (path.ends_with('*')) {
    path.replace(path.size() - 1, 1, "{name}");
    operation.emplace_back(
        "parameters", R"([{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}])");
  }
  if (route.handler.body != nullptr) {
    operation.emplace_back(
        "requestBody",
        json::object({{"required", "true"}, {"content", content(kJson, route.handler.body(call))}}));
  }
  operation.emplace_back("responses", responses(route, call));
  operations[path].emplace_back(route.method == "POST" ? "post" : "get", json::object(operation));
}

// What the server answers before any route (service.cc).
void add_probes(Operations& operations) {
  const std::string ok = schema::object({{"status", schema::text()}});
  const auto add = [&](const char* path, const char* summary, const std::string& types) {
    const std::string answers =
        json::object({{"200", json::object({{"description", json::text("The result")}, {"content", types}})},
                      {"default", json::object({{"description", json::text("An error")},
                                                {"content", content(kJson, error_ref(path))}})}});
    operations[path].emplace_back("get", json::object({{"operationId", json::text(operation_id("get", path))},
                                                       {"summary", json::text(summary)},
                                                       {"responses", answers}}));
  };
  add("/health", "Whether the model is loaded and no batch hangs", content(kJson, ok));
  add("/ping", "The same", content(kJson, ok));
  add("/metrics", "Counters and histograms for Prometheus", content("text/plain", schema::text()));
}

std::string components() {
  const std::string schemas =
      json::object({{"Error", error_schema("/")}, {"OpenAiError", error_schema("/v1/")}});
  return json::object(
      {{"schemas", schemas},
       {"securitySchemes", R"({"bearer": {"type": "http", "scheme": "bearer"}, )"
                           R"("key": {"type": "apiKey", "in": "header", "name": "x-api-key"}})"}});
}

std::optional<HttpAnswer> answer_openapi(const Call& call) {
  Operations operations;
  for (const Route& route : routes()) {
    if (call.heads.can(route.task)) add_route(operations, route, call);
  }
  add_probes(operations);
  json::Members paths;
  for (const auto& [path, methods] : operations) paths.emplace_back(path, json::object(methods));
  return HttpAnswer{
      .body = json::object({{"openapi", json::text("3.1.0")},
                            {"info", json::object({{"title", json::text("Locus: " + call.options.name)},
                                                   {"version", json::text(version())}})},
                            {"paths", json::object(paths)},
                            {"components", components()},
                            {"security", R"([{}, {"bearer": []}, {"key": []}])"}})};
}

}  // namespace

const Handler handlers::openapi = {answer_openapi, [](const Call&) { return schema::map(schema::any()); }};

}  // namespace locus::serve
