// Chats from JSON objects and plain messages.
#include "locus/base/json.h"
#include "locus/base/json_part.h"
#include "locus/text/chat_template/chat_template.h"

namespace locus {
namespace {

constexpr size_t kMostObjectDepth = 64;

}  // namespace

MarkedText render_object(const ChatTemplate& chat, std::string_view object, const std::string& where) {
  const json::Document document(object, where, kMostObjectDepth);
  const JsonPart part(document, "chat");
  for (const JsonPart& message : part.parts("messages")) message.text("role");
  ChatInput input{.messages = part.member("messages")};
  if (part.has("tools")) input.tools = part.member("tools");
  if (input.tools) part.list("tools");
  if (part.has("documents")) input.documents = part.member("documents");
  if (part.has("chat_template_kwargs")) {
    part.part("chat_template_kwargs");
    input.variables = part.member("chat_template_kwargs");
  }
  return chat.render(input);
}

MarkedText render_message(const ChatTemplate& chat, std::string_view message) {
  const std::string object = json::object({{"role", json::text("user")}, {"content", json::text(message)}});
  return render_object(chat, "{\"messages\": [" + object + "]}", "message");
}

}  // namespace locus
