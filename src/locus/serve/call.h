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

// Returns the answer, or nothing if it went to the reply in pieces.
using Handler = std::optional<HttpAnswer> (*)(const Call& call);

struct Route {
  std::string_view method, path;
  Task task;
  Handler handler;
  std::string_view summary;
};

std::span<const Route> routes();

// Throws if a list of a request is empty or too long.
void check_count(const Call& call, std::string_view name, size_t count);
// Reads "model". Throws if the name is of another model and --strict-model is set.
std::string model_of(const Call& call, Fields& fields);

}  // namespace locus::serve
