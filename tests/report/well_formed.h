// A small reader of XML, enough to say whether a file is well-formed: tags nest, attributes are quoted, no
// stray '<' or '&'. Declarations and comments are not expected, except HTML's doctype and its tags without
// an end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace locus {

// What is wrong, or nothing.
inline std::string not_well_formed(std::string_view text) {
  std::vector<std::string> open;
  const auto around = [&](size_t at) { return std::string(text.substr(at, 60)); };
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '&') {
      const size_t end = text.find(';', at);
      const std::string_view name = text.substr(at + 1, end - at - 1);
      if (name != "amp" && name != "lt" && name != "gt" && name != "quot") return "entity: " + around(at);
    }
    if (c == '>') return "a '>' outside a tag: " + around(at);
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return "a control character";
    if (c != '<') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    bool quoted = false;
    for (; end < text.size() && (quoted || text[end] != '>'); ++end) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '<') return "a '<' inside a tag: " + around(at);
    }
    if (end >= text.size() || quoted) return "no end of the tag: " + around(at);
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    const std::string name(tag.substr(0, tag.find_first_of(" \n/", 1)));
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag) return "not open: " + around(at);
      open.pop_back();
    } else if (tag.back() != '/' && name != "!doctype" && name != "meta") {
      open.push_back(name);
    }
    at = end + 1;
    if (name == "style" && tag.front() != '/') at = text.find("</style>", at);
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

}  // namespace locus
