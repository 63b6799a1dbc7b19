// What the server is: its model, its limits.
#include <algorithm>

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

std::string model_schema(const Call&) {
  return schema::object({{"id", schema::text()},
                         {"object", schema::text()},
                         {"created", schema::integer()},
                         {"owned_by", schema::text()}});
}

std::optional<HttpAnswer> answer_models(const Call& call) {
  return HttpAnswer{
      .body = json::object({{"object", json::text("list")}, {"data", "[" + model_json(call) + "]"}})};
}

std::string models_schema(const Call& call) {
  return schema::object({{"object", schema::text()}, {"data", schema::list(model_schema(call))}});
}

std::optional<HttpAnswer> answer_model(const Call& call) {
  const std::string_view name =
      std::string_view(call.request.path).substr(std::string_view("/v1/models/").size());
  if (name != call.options.name) {
    throw Refused(kNoModel,
                  fmt::format("the model is {}, expected {}", quote(name), quote(call.options.name)));
  }
  return HttpAnswer{.body = model_json(call)};
}

std::string paths_json(const Heads& heads) {
  std::vector<std::string_view> paths;
  for (const Route& route : routes()) {
    if (heads.can(route.task)) paths.push_back(route.path);
  }
  std::ranges::sort(paths);
  const auto repeated = std::ranges::unique(paths);
  paths.erase(repeated.begin(), repeated.end());
  return json::texts(paths);
}

std::optional<HttpAnswer> answer_info(const Call& call) {
  const TextModel& model = call.heads.model();
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
      {"routes", paths_json(call.heads)}};
  if (call.heads.can(Task::fill)) members.emplace_back("mask_token", json::text(call.heads.filler().mask()));
  return HttpAnswer{.body = json::object(members)};
}

std::string info_schema(const Call&) {
  json::Members members = {{"auto_truncate", schema::flag()}, {"routes", schema::list(schema::text())}};
  for (const char* name :
       {"model_id", "model_dtype", "model_type", "version", "scheme", "simd_target", "fingerprint"}) {
    members.emplace_back(name, schema::text());
  }
  for (const char* name :
       {"max_input_length", "max_batch_tokens", "max_client_batch_size", "max_concurrent_requests"}) {
    members.emplace_back(name, schema::integer());
  }
  return schema::object(members, {{"mask_token", schema::text()}});
}

}  // namespace

const Handler handlers::list_models = {answer_models, models_schema};
const Handler handlers::one_model = {answer_model, model_schema};
const Handler handlers::info = {answer_info, info_schema};

}  // namespace locus::serve
