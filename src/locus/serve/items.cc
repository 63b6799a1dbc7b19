#include "locus/serve/items.h"

#include "locus/base/json.h"
#include "locus/serve/refused.h"

namespace locus::serve {

Items::Items(const Call& call, const json::Document& body) : call_(call), options_(Fields::none()) {
  auto list = body.root().list();
  if (!list) {
    Fields whole(body);
    const auto inputs = whole.find("inputs", "");
    single_ = !inputs;
    if (single_) {
      items_.push_back(std::move(whole));
      return;
    }
    list = inputs->list();
    if (!list) whole.refuse("inputs", "a list of objects");
    options_ = std::move(whole);
  }
  options_.check_count("inputs", list->size(), call.options.max_inputs);
  for (const json::Value item : *list) {
    const std::string place = fmt::format("inputs[{}]", items_.size());
    if (!item.object()) throw Refused(kInvalid, fmt::format("'{}' is not an object", place), place);
    items_.emplace_back(*item.object(), place + ".");
  }
}

Items::Items(const Call& call, ObjectSchema& item, ObjectSchema& options) : call_(call), options_(options) {
  items_.emplace_back(item);
}

ReadOptions Items::reading() { return call_.reading(truncates(call_, options())); }

void Items::done() const {
  for (const Fields& item : items_) item.done();
  if (!single_) options_.done();
}

HttpAnswer Items::answer(const std::vector<std::string>& objects) const {
  return {.body = single_ ? objects.front() : json::list(objects)};
}

std::string items_schema(const Call& call, const ObjectSchema& item, const ObjectSchema& options) {
  const std::string list = schema::list(item.print(), 1, call.options.max_inputs);
  ObjectSchema one = item, many;
  one.add_all(options);
  many.add("inputs", list, true);
  many.add_all(options);
  return schema::any_of({one.print(), list, many.print()});
}

std::string results_schema(const std::string& object) {
  return schema::any_of({object, schema::list(object)});
}

}  // namespace locus::serve
