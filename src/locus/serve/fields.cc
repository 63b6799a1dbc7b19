#include "locus/serve/fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

constexpr size_t kMostDepth = 64;
constexpr size_t kMostShown = 80;  // bytes of a value in an error

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

json::Object no_members() {
  static const json::Document empty("{}", "no members");
  return empty.object();
}

std::string choice_schema(std::span<const std::string_view> values) {
  std::vector<std::string> quoted;
  for (const std::string_view value : values) quoted.push_back(json::text(value));
  return schema::value_of(quoted);
}

std::string shown(json::Value value) {
  std::string text = value.print();
  if (text.size() > kMostShown) {
    size_t end = kMostShown;
    while ((text[end] & 0xC0) == 0x80) --end;  // not within a character
    text = text.substr(0, end) + "..";
  }
  return without_controls(text);
}

}  // namespace

json::Document parse_body(std::string_view body) {
  json::Document document(body, "request body", kMostDepth);
  refuse_repeated(document.root());
  return document;
}

Fields::Fields(const json::Document& body) : Fields(body.object()) {}
Fields::Fields(ObjectSchema& schema) : object_(no_members()), schema_(&schema) {}

Fields Fields::none(std::string place) { return {no_members(), std::move(place)}; }

std::optional<json::Value> Fields::find(std::string_view name, const std::string& schema,
                                        const std::string& preset) {
  known_.push_back(name);
  if (schema_ != nullptr) schema_->add(name, schema::optional(schema, preset));
  const auto value = object_.find(name);
  return value && !value->is_null() ? value : std::nullopt;
}

std::optional<json::Value> Fields::member(std::string_view name, const std::string& schema) {
  if (schema_ != nullptr) {
    schema_->add(name, schema, true);
    return {};
  }
  const auto value = find(name, schema);
  if (!value) throw Refused(kInvalid, fmt::format("'{}' is missing", name_of(name)), name_of(name));
  return value;
}

void Fields::refuse(std::string_view name, std::string_view expected) const {
  throw Refused(kInvalid,
                fmt::format("'{}' is {}, expected {}", name_of(name), shown(*object_.find(name)), expected),
                name_of(name));
}

void Fields::refuse_unsupported(std::string_view name, std::string_view expected) const {
  const std::string place = name_of(name);
  throw Refused(kUnsupported,
                expected.empty() ? fmt::format("'{}' is not supported", place)
                                 : fmt::format("'{}' is {}, and only {} is supported", place,
                                               shown(*object_.find(name)), expected),
                place);
}

void Fields::check_count(std::string_view name, size_t count, size_t most) const {
  if (schema_ != nullptr) return;
  const std::string param = name_of(name);
  if (count == 0) throw Refused(kEmpty, fmt::format("'{}' is empty, expected at least one", param), param);
  if (count > most) {
    throw Refused(kTooLarge, fmt::format("'{}' has {} items, expected at most {}", param, count, most),
                  param);
  }
}

std::string Fields::text(std::string_view name) {
  const auto value = member(name, describes() ? schema::text() : "");
  if (!value) return "";
  if (!value->text()) refuse(name, "a string");
  return std::string(*value->text());
}

std::string Fields::text(std::string_view name, std::string_view preset) {
  const auto value = find(name, describes() ? schema::text() : "", describes() ? json::text(preset) : "");
  if (!value) return std::string(preset);
  if (!value->text()) refuse(name, "a string");
  return std::string(*value->text());
}

std::optional<std::string> Fields::optional_text(std::string_view name) {
  const auto value = find(name, describes() ? schema::text() : "");
  if (!value) return {};
  if (!value->text()) refuse(name, "a string");
  return std::string(*value->text());
}

std::string Fields::choice(std::string_view name, std::string_view preset,
                           std::span<const std::string_view> values) {
  const auto value =
      find(name, describes() ? choice_schema(values) : "", describes() ? json::text(preset) : "");
  return value ? choice_of(name, *value, values) : std::string(preset);
}

std::string Fields::optional_choice(std::string_view name, std::span<const std::string_view> values) {
  const auto value = find(name, describes() ? choice_schema(values) : "");
  return value ? choice_of(name, *value, values) : "";
}

std::string Fields::choice_of(std::string_view name, json::Value value,
                              std::span<const std::string_view> values) const {
  const auto text = value.text();
  if (!text || std::ranges::count(values, *text) == 0) {
    refuse(name, fmt::format("one of {}", fmt::join(values, ", ")));
  }
  return std::string(*text);
}

bool Fields::flag(std::string_view name, bool preset) {
  const auto value = find(name, describes() ? schema::flag() : "", describes() ? json::boolean(preset) : "");
  if (!value) return preset;
  if (!value->flag()) refuse(name, "true or false");
  return *value->flag();
}

std::optional<int64_t> Fields::integer(std::string_view name, int64_t least, int64_t most) {
  const auto value = find(name, describes() ? schema::integer(least, most) : "");
  if (!value) return {};
  const auto number = value->integer();
  if (!number || *number < least || *number > most) {
    refuse(name, fmt::format("an integer from {} to {}", least, most));
  }
  return number;
}

int64_t Fields::integer(std::string_view name, int64_t least, int64_t most, int64_t preset) {
  if (schema_ != nullptr) find(name, schema::integer(least, most), json::number(preset));
  return integer(name, least, most).value_or(preset);
}

std::optional<double> Fields::number(std::string_view name, double least, double most) {
  const auto value = find(name, describes() ? schema::number(least, most) : "");
  if (!value) return {};
  const auto number = value->number();
  if (!number || *number < least || *number > most) {
    refuse(name, fmt::format("a number from {} to {}", least, most));
  }
  return number;
}

std::vector<std::string> Fields::texts_of(std::string_view name, json::Value value) const {
  const auto list = value.list();
  if (!list) refuse(name, "a list of strings");
  std::vector<std::string> texts;
  for (const json::Value item : *list) {
    const auto text = item.text();
    if (!text) refuse(name, "a list of strings");
    texts.emplace_back(*text);
  }
  return texts;
}

std::vector<std::string> Fields::one_or_more_of(std::string_view name, json::Value value) const {
  if (const auto text = value.text()) return {std::string(*text)};
  if (!value.list()) refuse(name, "a string or a list of strings");
  return texts_of(name, value);
}

std::vector<std::string> Fields::texts(std::string_view name, size_t most) {
  const auto value = member(name, describes() ? schema::list(schema::text(), 1, most) : "");
  if (!value) return {};
  std::vector<std::string> texts = texts_of(name, *value);
  check_count(name, texts.size(), most);
  return texts;
}

std::vector<std::string> Fields::one_or_more(std::string_view name, size_t most) {
  const auto value = member(
      name, describes() ? schema::any_of({schema::text(), schema::list(schema::text(), 1, most)}) : "");
  if (!value) return {};
  std::vector<std::string> texts = one_or_more_of(name, *value);
  check_count(name, texts.size(), most);
  return texts;
}

std::optional<std::vector<std::string>> Fields::any_number(std::string_view name, size_t most) {
  const auto value =
      find(name, describes() ? schema::any_of({schema::text(), schema::list(schema::text(), 0, most)}) : "");
  if (!value) return {};
  std::vector<std::string> texts = one_or_more_of(name, *value);
  if (!texts.empty()) check_count(name, texts.size(), most);
  return texts;
}

Fields Fields::object(std::string_view name) {
  if (schema_ != nullptr) return Fields(schema_->add_object(name, true));
  const auto value = member(name, "")->object();
  if (!value) refuse(name, "an object");
  return {*value, name_of(name) + "."};
}

Fields Fields::optional_object(std::string_view name) {
  if (schema_ != nullptr) return Fields(schema_->add_object(name, false));
  return find(name, "") ? object(name) : none(name_of(name) + ".");
}

void Fields::ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    known_.push_back(name);
    if (schema_ != nullptr) schema_->add(name, R"({"description": "Has no influence on the result"})");
  }
}

void Fields::unsupported(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto value = find(name, R"({"const": false})");
    if (value && value->flag() != false) refuse_unsupported(name);
  }
}

void Fields::refuse_any(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (find(name, R"({"not": {}})")) refuse_unsupported(name);
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
  const std::string values[] = {R"("right")", R"("Right")"};
  const auto direction =
      fields.find("truncation_direction", fields.describes() ? schema::value_of(values) : "", values[0]);
  if (!direction || direction->text() == "right" || direction->text() == "Right") return;
  fields.refuse_unsupported("truncation_direction", "right");
}

}  // namespace locus::serve
