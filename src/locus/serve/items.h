// The body of a route that has the name of a command: one JSON object as the command reads it, with options
// of the command as further members; or a list of such objects; or {"inputs": [objects], options}.
#pragma once

#include <string>
#include <vector>

#include "locus/serve/call.h"

namespace locus::serve {

class Items {
 public:
  Items(const Call& call, const json::Document& body);
  // Describes instead (see Fields): the schemas of an object and of the options.
  Items(const Call& call, ObjectSchema& item, ObjectSchema& options);

  Fields& options() { return single_ ? items_.front() : options_; }
  std::vector<Fields>& each() { return items_; }
  ReadOptions reading();  // option "truncate"
  // Refuses members that no getter has named.
  void done() const;
  // The objects of the answer: one, or a list, as the body.
  HttpAnswer answer(const std::vector<std::string>& objects) const;

 private:
  const Call& call_;
  std::vector<Fields> items_;
  Fields options_;
  bool single_ = false;
};

// The schema of a body, and that of an answer with such objects.
std::string items_schema(const Call& call, const ObjectSchema& item, const ObjectSchema& options);
std::string results_schema(const std::string& object);

// A handler of such bodies. kRead(items) reads or describes them; kAnswer(call, what kRead returned) returns
// the objects of the answer.
template <auto kRead, auto kAnswer>
std::optional<HttpAnswer> answer_items(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  Items items(call, body);
  auto request = kRead(call, items);
  items.done();
  return items.answer(kAnswer(call, std::move(request)));
}
template <auto kRead>
std::string schema_of_items(const Call& call) {
  ObjectSchema item, options;
  Items items(call, item, options);
  kRead(call, items);
  return items_schema(call, item, options);
}

}  // namespace locus::serve
