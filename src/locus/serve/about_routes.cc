// What the server is: its model, its limits.
#include <algorithm>
#include <map>

#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/base/version.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/serve/handlers.h"
#include "locus/serve/refused.h"

namespace locus::serve {

namespace {

std::string model_json(const Call& call) {
  return json::object({{"id", json::text(call.options.name)},
                       {"object", json::text("model")},
                       {"created", "0"},
                       {"owned_by", json::text("locus")}});
}

}  // namespace

std::optional<HttpAnswer> list_models(const Call& call) {
  return HttpAnswer{
      .body = json::object({{"object", json::text("list")}, {"data", "[" + model_json(call) + "]"}})};
}

std::optional<HttpAnswer> one_model(const Call& call) {
  const std::string_view name =
      std::string_view(call.request.path).substr(std::string_view("/v1/models/").size());
  if (name != call.options.name) {
    throw Refused(kNoModel,
                  fmt::format("the model is {}, expected {}", quote(name), quote(call.options.name)));
  }
  return HttpAnswer{.body = model_json(call)};
}

std::optional<HttpAnswer> info(const Call& call) {
  const TextModel& model = call.heads.model();
  std::vector<std::string_view> paths;
  for (const Route& route : routes()) {
    if (call.heads.can(route.task)) paths.push_back(route.path);
  }
  std::ranges::sort(paths);
  const auto repeated = std::ranges::unique(paths);
  paths.erase(repeated.begin(), repeated.end());
  const ServiceOptions& o = call.options;
  json::Members members = {
      {"model_id", json::text(o.name)},
      {"model_dtype", json::text(o.weights == DType::bf16 ? "bfloat16" : "float32")},
      {"model_type", json::text(model.hub() ? model.hub()->config.text("model_type", "") : "locus")},
      {"max_input_length", json::number(model.longest())},
      {"max_batch_tokens", json::number(o.queue.batch_tokens)},
      {"max_client_batch_size", json::number(static_cast<int64_t>(o.max_inputs))},
      {"max_concurrent_requests", json::number(static_cast<int64_t>(o.max_requests))},
      {"auto_truncate", json::boolean(o.truncate)},
      {"version", json::text(version())},
      {"scheme", json::text(model.blueprint().scheme)},
      {"simd_target", json::text(kernel::cpu::supported_targets().front())},
      {"fingerprint", json::text(call.heads.fingerprint())},
      {"routes", json::texts(paths)}};
  if (call.heads.can(Task::fill)) members.emplace_back("mask_token", json::text(call.heads.filler().mask()));
  return HttpAnswer{.body = json::object(members)};
}

// Only the routes that this folder serves, without the schemas of their bodies.
std::optional<HttpAnswer> openapi(const Call& call) {
  std::map<std::string, json::Members> paths;
  for (const Route& route : routes()) {
    if (!call.heads.can(route.task)) continue;
    std::string path(route.path);
    json::Members operation = {{"summary", json::text(route.summary)}};
    if (path.ends_with('*')) {
      path.replace(path.size() - 1, 1, "{name}");
      operation.emplace_back(
          "parameters",
          R"([{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}])");
    }
    if (route.method == "POST") {
      operation.emplace_back("requestBody",
                             R"({"required": true, "content": {"application/json": {"schema": {}}}})");
    }
    operation.emplace_back(
        "responses",
        R"({"200": {"description": "The result", "content": {"application/json": {"schema": {}}}}, )"
        R"("default": {"description": "An error", "content": {"application/json": {"schema": {}}}}})");
    paths[path].emplace_back(route.method == "POST" ? "post" : "get", json::object(operation));
  }
  json::Members all;
  for (const auto& [path, operations] : paths) all.emplace_back(path, json::object(operations));
  return HttpAnswer{
      .body = json::object({{"openapi", json::text("3.1.0")},
                            {"info", json::object({{"title", json::text("Locus: " + call.options.name)},
                                                   {"version", json::text(version())}})},
                            {"paths", json::object(all)}})};
}

}  // namespace locus::serve
