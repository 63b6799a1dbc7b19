#include "locus/text/json_text.h"

#include <utility>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/quote.h"

namespace locus {

JsonText::JsonText(std::string_view text, std::string where) : where_(std::move(where)) { parse(text); }

JsonText::JsonText(const std::filesystem::path& file) : where_(fmt::format("'{}'", file.string())) {
  parse(read_file(file));
}

void JsonText::parse(std::string_view text) {
  simdjson::dom::element root;
  // simdjson copies the text. The data of an empty view may be null.
  const auto error = parser_.parse(text.empty() ? "" : text.data(), text.size()).get(root);
  if (error == simdjson::MEMALLOC) fail(Fault::resource, "{}: out of memory while parsing its JSON", where_);
  require(!error, Code::damaged_file, "{}: invalid JSON: {}", where_, simdjson::error_message(error));
  if (root.get_object().get(object_)) refuse("the JSON value", root, "an object");
}

simdjson::dom::element JsonText::member(const char* name) const {
  simdjson::dom::element value;
  require(!object_.at_key(name).get(value), "{}: member '{}' is missing", where_, name);
  return value;
}

std::string JsonText::text(const char* name) const {
  const simdjson::dom::element value = member(name);
  std::string_view found;
  if (value.get_string().get(found)) refuse(fmt::format("'{}'", name), value, "a string");
  return std::string(found);
}

void JsonText::refuse(const std::string& what, simdjson::dom::element value, const char* expected) const {
  fail(Fault::data, "{}: {} is {}, expected {}", where_, what, quote(simdjson::minify(value)), expected);
}

}  // namespace locus
