#include "locus/serve/call.h"

#include <chrono>

#include "locus/base/quote.h"
#include "locus/serve/refused.h"

namespace locus::serve {

int64_t Call::created() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

void check_count(const Call& call, std::string_view name, size_t count) {
  const std::string param(name);
  if (count == 0) throw Refused(kEmpty, fmt::format("'{}' is empty, expected at least one", name), param);
  if (count > call.options.max_inputs) {
    throw Refused(kTooLarge,
                  fmt::format("'{}' has {} items, expected at most {}", name, count, call.options.max_inputs),
                  param);
  }
}

std::string model_of(const Call& call, Fields& fields) {
  const std::string& own = call.options.name;
  const std::string name = fields.text("model", own);
  if (call.options.strict_model && name != own) {
    throw Refused(kNoModel, fmt::format("the model is {}, expected {}", quote(name), quote(own)), "model");
  }
  return own;
}

}  // namespace locus::serve
