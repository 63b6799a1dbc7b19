#include "locus/serve/call.h"

#include <chrono>

#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/serve/refused.h"

namespace locus::serve {

int64_t Call::created() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string model_of(const Call& call, Fields& fields) {
  const std::string& own = call.options.name;
  const std::string name = fields.text("model", own);
  if (call.options.strict_model && name != own) {
    throw Refused(kNoModel, fmt::format("the model is {}, expected {}", quote(name), quote(own)), "model");
  }
  return own;
}

std::string usage_of(const Call& call) {
  const std::string tokens = json::number(call.ticket.tokens());
  return json::object({{"prompt_tokens", tokens}, {"total_tokens", tokens}});
}

std::string usage_schema() {
  return schema::object({{"prompt_tokens", schema::integer()}, {"total_tokens", schema::integer()}});
}

bool truncates(const Call& call, Fields& fields) { return fields.flag("truncate", call.options.truncate); }

}  // namespace locus::serve
