#include "locus/serve/chat_input.h"

#include "locus/base/json.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

std::string joined_text(json::List parts, const std::string& place) {
  std::string text;
  for (const json::Value part : parts) {
    const auto object = part.object();
    const auto type = object ? object->find("type") : std::nullopt;
    const auto found = object ? object->find("text") : std::nullopt;
    if (!type || type->text() != "text" || !found || !found->text()) {
      throw Refused(kUnsupported, fmt::format("'{}' has a part that is not text", place), place);
    }
    text += *found->text();
  }
  return text;
}

std::string message_json(json::Object message, const std::string& place) {
  json::Members members;
  for (const auto [name, value] : message) {
    const auto parts = value.list();
    const bool joins = name == "content" && parts;
    members.emplace_back(name, joins ? json::text(joined_text(*parts, place + ".content")) : value.print());
  }
  return json::object(members);
}

std::string messages_schema() {
  const std::string part = R"({"type": "object", "properties": {"type": {"const": "text"}, "text": )" +
                           schema::text() + R"(}, "required": ["type", "text"]})";
  const std::string content = schema::any_of({schema::text(), schema::list(part)});
  return schema::list(schema::object({{"role", schema::text()}}, {{"content", schema::or_null(content)}}), 1);
}

}  // namespace

std::string read_chat(Fields& fields) {
  const auto value = fields.member("messages", fields.describes() ? messages_schema() : "");
  const auto list = value ? value->list() : std::nullopt;
  const auto documents = fields.find("documents", schema::list(schema::any()));
  const auto variables = fields.find("chat_template_kwargs", schema::map(schema::any()));
  if (!value) return "";
  if (!list || list->begin() == list->end()) fields.refuse("messages", "a list of at least one message");
  std::vector<std::string> messages;
  for (const json::Value message : *list) {
    const std::string place = fmt::format("messages[{}]", messages.size());
    const auto object = message.object();
    const auto role = object ? object->find("role") : std::nullopt;
    if (!role || !role->is_text()) {
      throw Refused(kInvalid, fmt::format("'{}' is not an object with a role", place), place);
    }
    messages.push_back(message_json(*object, place));
  }
  json::Members members = {{"messages", json::list(messages)}};
  if (documents) members.emplace_back("documents", documents->print());
  if (variables) members.emplace_back("chat_template_kwargs", variables->print());
  return json::object(members);
}

}  // namespace locus::serve
