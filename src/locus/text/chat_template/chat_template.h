// The chat template of a model folder: a Jinja template that writes messages as the model saw them in
// training. It is foreign code, so its steps (10^6), its depth (64) and its text (1 MiB) are limited. It has
// the subset of Jinja that templates of transformers use; anything else is an error that names the construct
// and its line.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/json_document.h"
#include "locus/text/marked_text.h"

namespace locus {

// What a template gets, as JSON.
struct ChatInput {
  std::optional<json::Value> messages = {};   // a list of objects, each with a role and a content
  std::optional<json::Value> tools = {};      // descriptions of functions
  std::optional<json::Value> documents = {};  // for answers from them
  std::optional<json::Value> variables = {};  // an object: more variables of the template
  bool add_generation_prompt = true;          // the text ends where the model's answer begins
};

class ChatTemplate {
 public:
  // `where` begins every error. `names` are variables with the names of special tokens: bos_token and others.
  // `for_tools`, if it is not empty, is the template for chats with tools.
  ChatTemplate(std::string_view source, std::string where,
               std::vector<std::pair<std::string, std::string>> names = {}, std::string_view for_tools = {});
  ChatTemplate(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  // The text that the model continues. All texts of the input are marked as a user's, but not the common
  // roles such as "user", which templates write into the names of special tokens.
  MarkedText render(const ChatInput& input) const;

 private:
  struct Parsed;
  std::string where_;
  std::unique_ptr<const Parsed> parsed_;
};

// The chat template of a model folder, from chat_template.jinja, or from tokenizer_config.json, where it is
// one text or a list of named ones: "default", and "tool_use" for chats with tools. Throws Code::missing_file
// if the folder has no template.
ChatTemplate load_chat_template(const std::filesystem::path& folder);

// A chat with one message of a user.
MarkedText render_message(const ChatTemplate& chat, std::string_view message);
// A chat that a JSON object describes: "messages", and optionally "tools", "documents", and more variables of
// the template in "chat_template_kwargs". `where` begins errors about the object.
MarkedText render_object(const ChatTemplate& chat, std::string_view object, const std::string& where);

}  // namespace locus
