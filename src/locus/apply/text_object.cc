#include "locus/apply/text_object.h"

#include "locus/base/json_document.h"

namespace locus {

TextInput read_text_object(std::string_view json, const std::string& where, const TextMembers& members) {
  const json::Document object(json, where);
  TextInput input{object.text(members.first)};
  if (members.second == nullptr) return input;
  if (members.both || object.object().find(members.second)) input.second = object.text(members.second);
  return input;
}

}  // namespace locus
