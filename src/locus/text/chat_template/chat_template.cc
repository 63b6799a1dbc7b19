#include "locus/text/chat_template/chat_template.h"

#include "locus/base/error.h"
#include "locus/text/chat_template/from_json.h"
#include "locus/text/chat_template/functions.h"
#include "locus/text/chat_template/interpreter.h"
#include "locus/text/chat_template/parser.h"

namespace locus {

struct ChatTemplate::Parsed {
  std::vector<chat::Statement> statements, for_tools;
  std::vector<std::pair<std::string, std::string>> names;
};

ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

ChatTemplate::ChatTemplate(std::string_view source, std::string where,
                           std::vector<std::pair<std::string, std::string>> names, std::string_view for_tools)
    : where_(std::move(where)) {
  try {
    parsed_ = std::make_unique<const Parsed>(
        Parsed{chat::parse_template(source), chat::parse_template(for_tools), std::move(names)});
  } catch (const Error& error) {
    throw error.at(where_);
  }
}

MarkedText ChatTemplate::render(const ChatInput& input) const {
  try {
    chat::Frame frame;
    for (auto& [name, function] : chat::global_functions()) frame.set(name, std::move(function));
    for (const auto& [name, text] : parsed_->names) frame.set(name, chat::Value(text));
    const auto set = [&](const char* name, const std::optional<json::Value>& value) {
      frame.set(name, value ? chat::value_of(*value, Origin::user) : chat::Value());
    };
    set("messages", input.messages);
    set("tools", input.tools);
    set("documents", input.documents);
    frame.set("add_generation_prompt", chat::Value(input.add_generation_prompt));
    if (input.variables) {
      const auto variables = input.variables->object();
      require(variables.has_value(), "the variables of a chat template are not an object");
      for (const auto& [name, value] : *variables)
        frame.set(std::string(name), chat::value_of(value, Origin::user));
    }
    const bool tools = input.tools && !input.tools->is_null() && !parsed_->for_tools.empty();
    return chat::Interpreter().run(tools ? parsed_->for_tools : parsed_->statements, frame);
  } catch (const Error& error) {
    throw error.at(where_);
  }
}

}  // namespace locus
