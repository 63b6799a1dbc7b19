#include "locus/serve/items.h"

#include "locus/base/json.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

json::Object no_options() {
  static const json::Document empty("{}", "options");
  return empty.object();
}

}  // namespace

Items::Items(const Call& call) : call_(call), body_(parse_body(call.request.body)), options_(no_options()) {
  auto list = body_.root().list();
  if (!list) {
    Fields whole(body_);
    const auto inputs = whole.find("inputs");
    single_ = !inputs;
    if (single_) {
      items_.push_back(std::move(whole));
      return;
    }
    list = inputs->list();
    if (!list) whole.refuse("inputs", "a list of objects");
    options_ = std::move(whole);
  }
  check_count(call, "inputs", list->size());
  for (const json::Value item : *list) {
    const std::string place = fmt::format("inputs[{}]", items_.size());
    if (!item.object()) throw Refused(kInvalid, fmt::format("'{}' is not an object", place), place);
    items_.emplace_back(*item.object(), place + ".");
  }
}

ReadOptions Items::reading() { return call_.reading(options().flag("truncate", call_.options.truncate)); }

void Items::done() const {
  for (const Fields& item : items_) item.done();
  if (!single_) options_.done();
}

HttpAnswer Items::answer(const std::vector<std::string>& objects) const {
  return {.body = single_ ? objects.front() : json::list(objects)};
}

}  // namespace locus::serve
