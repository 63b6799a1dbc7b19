#include "locus/text/chat_template/from_json.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus::chat {
namespace {

bool is_common_role(std::string_view role) {
  constexpr std::string_view kRoles[] = {"assistant", "developer", "function", "ipython",
                                         "model",     "system",    "tool",     "user"};
  return std::ranges::find(kRoles, role) != std::end(kRoles);
}

}  // namespace

Value value_of(json::Value value, Origin origin) {
  if (value.is_null()) return {};
  if (const auto flag = value.flag()) return Value(*flag);
  if (const auto number = value.integer()) return Value(*number);
  if (const auto number = value.number()) return Value(*number);
  if (const auto text = value.text()) return Value(MarkedText(std::string(*text), origin));
  if (const auto list = value.list()) {
    std::vector<Value> items;
    for (const json::Value item : *list) items.push_back(value_of(item, origin));
    return Value::list(std::move(items));
  }
  const json::Object object = *value.object();
  std::vector<std::pair<Value, Value>> items;
  for (const auto& [name, item] : object) {
    const bool role = name == "role" && item.text() && is_common_role(*item.text());
    items.emplace_back(Value(MarkedText(std::string(name), origin)),
                       value_of(item, role ? Origin::model : origin));
  }
  return Value::map(std::move(items));
}

}  // namespace locus::chat
