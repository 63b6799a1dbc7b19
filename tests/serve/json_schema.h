// Whether JSON values fit a JSON Schema. Knows the keywords that the server writes, and refuses others.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/apply/expected.h"

namespace locus {

// A copy, which a loop can keep: what value() returns is part of the temporary before it.
inline simdjson::dom::object members_in(simdjson::dom::element value) { return value.get_object().value(); }

class JsonSchema {
 public:
  using Value = simdjson::dom::element;

  // Why a value does not fit, or nothing. If `closed`, objects have only members that the schema names.
  static std::string mismatch(Value schema, Value value, bool closed, const std::string& place = "value") {
    for (const auto [keyword, rule] : members_in(schema)) {
      const std::string why = of_keyword(keyword, rule, schema, value, closed, place);
      if (!why.empty()) return why;
    }
    if (!closed || !value.is_object() || schema["properties"].error()) return "";
    for (const auto [name, member] : members_in(value)) {
      if (schema["properties"].get_object().value().at_key(name).error()) {
        return fmt::format("{} has the unknown member {}", place, name);
      }
    }
    return "";
  }

 private:
  static bool is_integer(Value value) {
    return value.is_int64() || value.is_uint64() ||
           (value.is_double() && value.get_double().value() == std::floor(value.get_double().value()));
  }
  static bool has_type(std::string_view type, Value value) {
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "null") return value.is_null();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "integer") return is_integer(value);
    return type == "number" && value.is_number();
  }
  static bool equal(Value one, Value two) {
    if (one.is_number() && two.is_number()) return one.get_double().value() == two.get_double().value();
    return simdjson::minify(one) == simdjson::minify(two);
  }

  static std::string of_keyword(std::string_view keyword, Value rule, Value schema, Value value, bool closed,
                                const std::string& place) {
    const auto fails = [&](bool fits) {
      return fits ? "" : fmt::format("{} does not fit {} {}", place, keyword, simdjson::minify(rule));
    };
    const auto number = [](Value from) { return from.get_double().value(); };
    if (keyword == "type") return fails(has_type(rule.get_string().value(), value));
    if (keyword == "const") return fails(equal(rule, value));
    if (keyword == "minimum") return fails(!value.is_number() || number(value) >= number(rule));
    if (keyword == "maximum") return fails(!value.is_number() || number(value) <= number(rule));
    if (keyword == "not") return fails(!mismatch(rule, value, closed, place).empty());
    if (keyword == "default" || keyword == "description") return "";
    if (keyword == "anyOf") return of_any(rule, value, closed, place);
    if (keyword == "enum") {
      for (const Value one : list_of(rule)) {
        if (equal(one, value)) return "";
      }
      return fails(false);
    }
    return value.is_array() ? of_list(keyword, rule, value, closed, place)
                            : of_object(keyword, rule, schema, value, closed, place);
  }
  static std::string of_any(Value rule, Value value, bool closed, const std::string& place) {
    std::string all;
    for (const Value one : list_of(rule)) {
      const std::string why = mismatch(one, value, closed, place);
      if (why.empty()) return "";
      all += why + "; ";
    }
    return all;
  }
  static std::string of_list(std::string_view keyword, Value rule, Value value, bool closed,
                             const std::string& place) {
    const auto size = static_cast<int64_t>(value.get_array().value().size());
    if (keyword == "minItems" && size < rule.get_int64().value()) return place + " has too few items";
    if (keyword == "maxItems" && size > rule.get_int64().value()) return place + " has too many items";
    size_t fitting = 0, index = 0;
    if (keyword != "items" && keyword != "contains") return "";
    for (const Value item : list_of(value)) {
      const std::string why = mismatch(rule, item, closed, fmt::format("{}[{}]", place, index++));
      if (keyword == "items" && !why.empty()) return why;
      fitting += why.empty() ? 1 : 0;
    }
    return keyword == "contains" && fitting == 0 ? place + " lacks an item" : "";
  }
  static std::string of_object(std::string_view keyword, Value rule, Value schema, Value value, bool closed,
                               const std::string& place) {
    constexpr std::string_view kKnown[] = {"items",    "contains",      "minItems",   "maxItems",
                                           "required", "maxProperties", "properties", "additionalProperties"};
    if (std::ranges::count(kKnown, keyword) == 0) return fmt::format("unknown keyword {}", keyword);
    if (!value.is_object()) return "";
    const auto members = value.get_object().value();
    if (keyword == "maxProperties" && static_cast<int64_t>(members.size()) > rule.get_int64().value()) {
      return place + " has too many members";
    }
    if (keyword == "required") {
      for (const Value name : list_of(rule)) {
        if (members.at_key(name.get_string().value()).error()) {
          return fmt::format("{} lacks {}", place, name.get_string().value());
        }
      }
    }
    if (keyword != "properties" && keyword != "additionalProperties") return "";
    for (const auto [name, member] : members) {
      auto own = schema["properties"].get_object().at_key(name);
      const std::string inner = fmt::format("{}.{}", place, name);
      if (keyword == "properties" && own.error()) continue;
      if (keyword == "additionalProperties" && !own.error()) continue;
      if (rule.is_bool() && !rule.get_bool().value()) return inner + " is not allowed";
      const std::string why = mismatch(keyword == "properties" ? own.value() : rule, member, closed, inner);
      if (!why.empty()) return why;
    }
    return "";
  }
};

}  // namespace locus
