#include "locus/text/chat_template/filters.h"

#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/sequence.h"

namespace locus::chat {
namespace {

Filter find_filter(std::string_view name) {
  for (const auto find : {text_filter, list_filter, choosing_filter}) {
    if (const Filter filter = find(name)) return filter;
  }
  return nullptr;
}

}  // namespace

void require_filter(const std::string& name) {
  if (find_filter(name) != nullptr) return;
  fail({Fault::data, Code::unsupported_field}, "the filter {} is not supported in a chat template",
       quote(name));
}

Value filtered(Steps& steps, const std::string& name, const Value& value, const Arguments& arguments) {
  require_filter(name);
  steps.take(value.weight());
  return find_filter(name)(steps, value, arguments);
}

Value at_path(Steps& steps, const Value& value, const Value& path) {
  if (path.as_text() == nullptr) return item_of(steps, value, path);
  const std::string& names = path.as_text()->bytes();
  Value result = value;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find('.', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const auto index = locus::parse<int64_t>(name);
    if (!result.is_undefined()) result = item_of(steps, result, index ? Value(*index) : Value(name));
    begin = end + 1;
  }
  return result;
}

}  // namespace locus::chat
