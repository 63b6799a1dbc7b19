// The body of a route that has the name of a command: one JSON object as the command reads it, with options
// of the command as further members; or a list of such objects; or {"inputs": [objects], options}.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "locus/serve/call.h"

namespace locus::serve {

class Items {
 public:
  explicit Items(const Call& call);

  Fields& options() { return single_ ? items_.front() : options_; }
  std::vector<Fields>& each() { return items_; }
  ReadOptions reading();  // option "truncate"
  // Refuses members that no getter has named.
  void done() const;
  // The objects of the answer: one, or a list, as the body.
  HttpAnswer answer(const std::vector<std::string>& objects) const;

 private:
  const Call& call_;
  json::Document body_;
  std::vector<Fields> items_;
  Fields options_;
  bool single_ = false;
};

}  // namespace locus::serve
