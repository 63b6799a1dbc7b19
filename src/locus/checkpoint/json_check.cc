#include "locus/checkpoint/json_check.h"

#include <type_traits>
#include <variant>
#include <vector>

namespace locus {
namespace {

using simdjson::error_code;
namespace ondemand = simdjson::ondemand;

// A container that is being read, and the position in it.
struct Level {
  std::variant<ondemand::array_iterator, ondemand::object_iterator> at;
  bool started = false;
};

error_code check_scalar(ondemand::value value, ondemand::json_type type) {
  std::string_view text;
  double number = 0;
  bool truth = false;
  switch (type) {
    case ondemand::json_type::string:
      return value.get_string().get(text);
    case ondemand::json_type::number:
      return value.get_double().get(number);  // whole numbers of any length are numbers too
    case ondemand::json_type::boolean:
      return value.get_bool().get(truth);
    default:
      return value.is_null().get(truth);
  }
}

error_code check_or_enter(ondemand::value value, size_t depth_left, std::vector<Level>& open) {
  ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return error;
  const bool array = type == ondemand::json_type::array;
  if (!array && type != ondemand::json_type::object) return check_scalar(value, type);
  if (open.size() == depth_left) return simdjson::DEPTH_ERROR;
  if (array) {
    ondemand::array_iterator begin;
    if (const auto error = value.get_array().begin().get(begin)) return error;
    open.push_back({begin});
  } else {
    ondemand::object_iterator begin;
    if (const auto error = value.get_object().begin().get(begin)) return error;
    open.push_back({begin});
  }
  return simdjson::SUCCESS;
}

error_code next_value(ondemand::array_iterator& at, ondemand::value& value) { return (*at).get(value); }

error_code next_value(ondemand::object_iterator& at, ondemand::value& value) {
  ondemand::field field;
  if (const auto error = (*at).get(field)) return error;
  std::string_view key;
  if (const auto error = field.unescaped_key().get(key)) return error;
  value = field.value();
  return simdjson::SUCCESS;
}

}  // namespace

error_code check_json(ondemand::value value, size_t depth_left) {
  std::vector<Level> open;
  if (const auto error = check_or_enter(value, depth_left, open)) return error;
  while (!open.empty()) {
    Level& level = open.back();
    bool ended = false;
    ondemand::value child;
    const error_code error = std::visit(
        [&](auto& at) {
          if (level.started) ++at;
          level.started = true;
          ended = at == std::remove_reference_t<decltype(at)>{};  // every right-hand side compares as the end
          return ended ? simdjson::SUCCESS : next_value(at, child);
        },
        level.at);
    if (error) return error;
    if (ended) {
      open.pop_back();
    } else if (const auto inner = check_or_enter(child, depth_left, open)) {
      return inner;
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace locus
