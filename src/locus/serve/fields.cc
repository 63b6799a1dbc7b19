#include "locus/serve/fields.h"

#include <algorithm>
#include <set>

#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

constexpr size_t kMostDepth = 64;
constexpr size_t kMostShown = 80;  // characters of a value in an error

void refuse_repeated(json::Value value) {
  if (const auto list = value.list()) {
    for (const json::Value item : *list) refuse_repeated(item);
  }
  const auto object = value.object();
  if (!object) return;
  std::set<std::string_view> seen;
  for (const auto [name, member] : *object) {
    if (!seen.insert(name).second) {
      throw Refused(kInvalid, fmt::format("the request has the member {} twice", quote(name)),
                    std::string(name));
    }
    refuse_repeated(member);
  }
}

std::string shown(json::Value value) {
  std::string text = value.print();
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "..";
  return without_controls(text);
}

}  // namespace

json::Document parse_body(std::string_view body) {
  json::Document document(body, "request body", kMostDepth);
  refuse_repeated(document.root());
  return document;
}

Fields::Fields(const json::Document& body) : Fields(body.object()) {}

std::optional<json::Value> Fields::find(std::string_view name) {
  known_.push_back(name);
  const auto value = object_.find(name);
  return value && !value->is_null() ? value : std::nullopt;
}

json::Value Fields::member(std::string_view name) {
  const auto value = find(name);
  if (!value) throw Refused(kInvalid, fmt::format("'{}' is missing", name_of(name)), name_of(name));
  return *value;
}

void Fields::refuse(std::string_view name, std::string_view expected) const {
  throw Refused(kInvalid,
                fmt::format("'{}' is {}, expected {}", name_of(name), shown(*object_.find(name)), expected),
                name_of(name));
}

std::string Fields::text(std::string_view name) {
  const auto value = member(name).text();
  if (!value) refuse(name, "a string");
  return std::string(*value);
}

std::string Fields::text(std::string_view name, std::string_view preset) {
  return find(name) ? text(name) : std::string(preset);
}

bool Fields::flag(std::string_view name, bool preset) {
  const auto value = find(name);
  if (!value) return preset;
  if (!value->flag()) refuse(name, "true or false");
  return *value->flag();
}

std::optional<int64_t> Fields::integer(std::string_view name, int64_t least, int64_t most) {
  const auto value = find(name);
  if (!value) return {};
  const auto number = value->integer();
  if (!number || *number < least || *number > most) {
    refuse(name, fmt::format("an integer from {} to {}", least, most));
  }
  return number;
}

std::optional<double> Fields::number(std::string_view name, double least, double most) {
  const auto value = find(name);
  if (!value) return {};
  const auto number = value->number();
  if (!number || *number < least || *number > most) {
    refuse(name, fmt::format("a number from {} to {}", least, most));
  }
  return number;
}

std::vector<std::string> Fields::texts(std::string_view name) {
  const auto list = member(name).list();
  if (!list) refuse(name, "a list of strings");
  std::vector<std::string> texts;
  for (const json::Value item : *list) {
    const auto text = item.text();
    if (!text) refuse(name, "a list of strings");
    texts.emplace_back(*text);
  }
  return texts;
}

std::vector<std::string> Fields::one_or_more(std::string_view name) {
  const json::Value value = member(name);
  if (const auto text = value.text()) return {std::string(*text)};
  if (!value.list()) refuse(name, "a string or a list of strings");
  return texts(name);
}

Fields Fields::object(std::string_view name) {
  const auto value = member(name).object();
  if (!value) refuse(name, "an object");
  return {*value, name_of(name) + "."};
}

void Fields::ignore(std::initializer_list<std::string_view> names) {
  known_.insert(known_.end(), names.begin(), names.end());
}

void Fields::unsupported(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto value = find(name);
    if (!value || value->flag() == false) continue;
    throw Refused(kUnsupported, fmt::format("'{}' is not supported", name_of(name)), name_of(name));
  }
}

void Fields::done() const {
  for (const auto [name, value] : object_) {
    if (std::ranges::count(known_, name) > 0) continue;
    throw Refused(kUnsupported,
                  fmt::format("unknown member {}{}", quote(name_of(name)), suggestion(name, known_)),
                  name_of(name));
  }
}

void expect_right_truncation(Fields& fields) {
  const std::string direction = fields.text("truncation_direction", "right");
  if (direction == "right" || direction == "Right") return;
  throw Refused(kUnsupported, fmt::format("'truncation_direction' is {}, expected right", quote(direction)),
                "truncation_direction");
}

}  // namespace locus::serve
