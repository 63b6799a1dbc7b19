#include "locus/base/error.h"

#include <utility>

namespace locus {
namespace {

// A file can make a message as long as itself. Nobody reads the end of such a message.
std::string shortened(std::string text) {
  constexpr size_t kLongest = 16 << 10;
  const size_t size = text.size();
  if (size <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;  // inside a character
  text.resize(end);
  return text + fmt::format("... ({} bytes)", size);
}

}  // namespace

std::string_view name_of(Code code) {
  switch (code) {
    case Code::none:
      return "none";
    case Code::bad_shape:
      return "bad_shape";
    case Code::bad_token:
      return "bad_token";
    case Code::bad_position:
      return "bad_position";
    case Code::context_too_long:
      return "context_too_long";
    case Code::unknown_scheme:
      return "unknown_scheme";
    case Code::unknown_option:
      return "unknown_option";
    case Code::unknown_family:
      return "unknown_family";
    case Code::unsupported_field:
      return "unsupported_field";
    case Code::wrong_head:
      return "wrong_head";
    case Code::missing_file:
      return "missing_file";
    case Code::damaged_file:
      return "damaged_file";
    case Code::output_exists:
      return "output_exists";
    case Code::run_mismatch:
      return "run_mismatch";
    case Code::graph_freed:
      return "graph_freed";
    case Code::no_gpu:
      return "no_gpu";
  }
  return "none";
}

Error::Error(const Failure& failure, const std::string& message, std::vector<std::string> values)
    : std::runtime_error(failure.hint.empty() ? message : message + "; " + failure.hint),
      details_(std::make_shared<const Details>(Details{failure, message, std::move(values)})) {}

Error Error::at(std::string_view place) const {
  return {details_->failure, fmt::format("{}: {}", place, message()), values()};
}

Error Error::with_hint(const std::string& hint) const {
  return {{fault(), code(), hint}, message(), values()};
}

Error make_error(const Failure& failure, fmt::string_view text, fmt::format_args parts) {
  std::vector<std::string> values;
  for (int i = 0; parts.get(i); ++i) {
    values.push_back(shortened(fmt::vformat(fmt::format("{{{}}}", i), parts)));
  }
  return {failure, shortened(fmt::vformat(text, parts)), std::move(values)};
}

}  // namespace locus
