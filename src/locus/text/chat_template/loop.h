// The variable `loop` inside of a for loop.
#pragma once

#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

struct Loop {
  std::vector<Value> items;
  size_t index = 0;                                          // of the current item
  int depth = 1;                                             // of recursive loops
  std::function<Value(Steps&, const Arguments&)> call = {};  // of a recursive loop
  mutable std::vector<Value> changed = {};                   // the last arguments of changed()
};

Value loop_member(const Loop& loop, const std::string& name);

}  // namespace locus::chat
