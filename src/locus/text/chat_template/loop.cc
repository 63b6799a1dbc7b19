#include "locus/text/chat_template/loop.h"

#include <algorithm>

#include "locus/base/quote.h"

namespace locus::chat {

Value loop_member(const Loop& loop, const std::string& name) {
  const auto index = static_cast<int64_t>(loop.index), size = static_cast<int64_t>(loop.items.size());
  if (name == "index") return Value(index + 1);
  if (name == "index0") return Value(index);
  if (name == "revindex") return Value(size - index);
  if (name == "revindex0") return Value(size - index - 1);
  if (name == "first") return Value(index == 0);
  if (name == "last") return Value(index + 1 == size);
  if (name == "length") return Value(size);
  if (name == "depth") return Value(int64_t{loop.depth});
  if (name == "depth0") return Value(int64_t{loop.depth} - 1);
  if (name == "previtem") return index > 0 ? loop.items[loop.index - 1] : Value::undefined("loop.previtem");
  if (name == "nextitem")
    return index + 1 < size ? loop.items[loop.index + 1] : Value::undefined("loop.nextitem");
  if (name == "cycle") {
    return Value::function(name, [index](Steps&, const Arguments& arguments) {
      require(!arguments.positional.empty(), "loop.cycle: got no values, expected at least one");
      return arguments.positional[static_cast<size_t>(index) % arguments.positional.size()];
    });
  }
  if (name == "changed") {
    return Value::function(name, [&loop](Steps& steps, const Arguments& arguments) {
      for (const Value& value : arguments.positional) steps.take(1 + value.weight());
      const bool same = std::ranges::equal(loop.changed, arguments.positional, equal);
      const bool first = loop.index == 0 && loop.changed.empty();
      loop.changed = arguments.positional;
      return Value(first || !same);
    });
  }
  return Value::undefined("loop." + name);
}

}  // namespace locus::chat
