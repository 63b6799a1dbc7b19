#include "locus/apply/text_object.h"

#include "locus/text/json_text.h"

namespace locus {

TextInput read_text_object(std::string_view json, const std::string& where, const TextMembers& members) {
  const JsonText object(json, where);
  TextInput input{object.text(members.first)};
  if (members.second == nullptr) return input;
  simdjson::dom::element value;
  const bool found = object.object().at_key(members.second).get(value) == simdjson::SUCCESS;
  if (found || members.both) input.second = object.text(members.second);
  return input;
}

}  // namespace locus
