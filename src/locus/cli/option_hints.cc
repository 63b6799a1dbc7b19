#include "locus/cli/option_hints.h"

#include <fmt/format.h>

#include <string>

namespace locus::cli {
namespace {

// A hint names every option that it needs. Hints for the same code complete one another.
struct OptionHint {
  Code code;
  std::string_view hint;
};
constexpr OptionHint kOptionHints[] = {
    {Code::context_too_long, "add --truncate to cut texts that are too long"},
    {Code::context_too_long, "add --skip-bad to leave them out"},
    {Code::context_too_long,
     "raise data.context, or add --set data.truncate=true to cut texts that are too long"},
    {Code::run_mismatch, "to train it further with other settings or data, use --continue RUN"},
};

// Whether the command has every option that the hint names.
bool applies(std::string_view hint, const std::function<bool(std::string_view)>& has) {
  for (size_t at = hint.find("--"); at != std::string_view::npos; at = hint.find("--", at + 2)) {
    if (!has(hint.substr(at, hint.find_first_of(" ,;", at) - at))) return false;
  }
  return true;
}

}  // namespace

Error with_option_hints(const Error& error, const std::function<bool(std::string_view)>& has) {
  std::string hint;
  for (const OptionHint& each : kOptionHints) {
    if (error.code() != each.code || !applies(each.hint, has)) continue;
    hint += fmt::format("{}{}", hint.empty() ? "" : ", or ", each.hint);
  }
  if (hint.empty()) return error;
  return error.with_hint(error.hint().empty() ? hint : error.hint() + "; " + hint);
}

}  // namespace locus::cli
