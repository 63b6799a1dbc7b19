// The syntax tree of a chat template. A node is a kind with what that kind needs; the comment of each kind
// names the members it uses.
#pragma once

#include <string>
#include <vector>

#include "locus/text/chat_template/value.h"

namespace locus::chat {

struct Expression {
  enum class Kind {
    literal,     // value
    variable,    // name
    list,        // parts
    tuple,       // parts
    map,         // parts: key, value, key, value, ..
    member,      // parts[0].name
    item,        // parts[0][parts[1]]
    slice,       // parts[0][parts[1]:parts[2]:parts[3]], omitted ones are none
    call,        // parts[0](arguments: the other parts)
    filter,      // parts[0] | name(arguments: the other parts)
    test,        // parts[0] is name(arguments: the other parts)
    negation,    // not parts[0]
    sign,        // words[0] is + or -, before parts[0]
    arithmetic,  // parts with words between them, from left to right
    compare,     // the same with comparisons, all of which must be true
    all,         // parts with `and` between them
    any,         // parts with `or` between them
    choice,      // parts[1] if parts[0] else parts[2], which may be missing
  };
  Kind kind = Kind::literal;
  int line = 1;
  Value value = {};
  std::string name = {};
  std::vector<Expression> parts = {};
  std::vector<std::string> words = {};  // operators; or the names of the last arguments, which are named
};

struct Statement {
  enum class Kind {
    text,       // text
    output,     // expressions[0]
    set,        // names = expressions[0]
    set_block,  // names = the output of body, through the filters around the variable "" in expressions[0]
    condition,  // body if expressions[0], else other
    loop,    // for names in expressions[0], if expressions[1] where it exists: body; other if there was none
    macro,   // text is the name, names its parameters, expressions the presets of the last ones
    scope,   // body, with its own variables
    filter,  // the output of body, through the filters around the variable "" in expressions[0]
    leave,   // break
    next,    // continue
  };
  Kind kind = Kind::text;
  int line = 1;
  std::string text = {};
  std::vector<std::string> names = {};  // the variables that are assigned
  std::string member = {};              // of the namespace names[0], if this is assigned
  bool unpacks = false;                 // names[i] gets item i
  bool recursive = false;               // the loop may be called
  std::vector<Expression> expressions = {};
  std::vector<Statement> body = {}, other = {};
};

}  // namespace locus::chat
