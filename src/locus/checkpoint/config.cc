#include "locus/checkpoint/config.h"

#include <simdjson.h>

#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "locus/base/file.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

namespace dom = simdjson::dom;

constexpr uint64_t kMostBytes = 64 << 20;  // the largest configs, with a name for every label, have a few MB
constexpr size_t kDeepest = 64;
constexpr int64_t kMostSize = 1 << 24;

}  // namespace

// Flattens nested values into dotted names, without recursion.
class Config::Flattener {
 public:
  explicit Flattener(Config& config) : config_(config) {}

  void run(dom::object object) {
    add_members(object, "");
    while (!pending_.empty()) {
      const auto [name, value] = std::move(pending_.front());
      pending_.pop_front();
      add(name, value);
    }
  }

 private:
  void add(const std::string& name, dom::element element) {
    Value& value = config_.values_[name];
    switch (element.type()) {
      case dom::element_type::NULL_VALUE:
        break;
      case dom::element_type::BOOL:
        value.kind = Kind::boolean;
        value.flag = element.get_bool().value_unsafe();
        break;
      case dom::element_type::INT64:
        value.kind = Kind::integer;
        value.integer = element.get_int64().value_unsafe();
        value.number = static_cast<double>(value.integer);
        break;
      case dom::element_type::UINT64:  // above 2^63: too large for a size, but valid as a number
        value.kind = Kind::number;
        value.number = static_cast<double>(element.get_uint64().value_unsafe());
        break;
      case dom::element_type::DOUBLE:
        value.kind = Kind::number;
        value.number = element.get_double().value_unsafe();
        break;
      case dom::element_type::STRING:
        value.kind = Kind::text;
        value.text = element.get_string().value_unsafe();
        break;
      case dom::element_type::ARRAY: {
        value.kind = Kind::list;
        const dom::array items = element.get_array().value_unsafe();
        for (const dom::element item : items) {
          pending_.emplace_back(fmt::format("{}.{}", name, value.integer++), item);
        }
        break;
      }
      case dom::element_type::OBJECT:
        value.kind = Kind::object;
        value.integer = add_members(element.get_object().value_unsafe(), name + ".");
        break;
    }
  }

  int64_t add_members(dom::object object, const std::string& prefix) {
    std::map<std::string_view, dom::element> last;  // the last member of each name, with everything below it
    for (const dom::key_value_pair member : object) last.insert_or_assign(member.key, member.value);
    for (const auto& [key, value] : last) pending_.emplace_back(prefix + std::string(key), value);
    return std::ssize(last);
  }

  Config& config_;
  std::deque<std::pair<std::string, dom::element>> pending_;
};

Config::Config(const std::filesystem::path& path) : Config(read_file(path, kMostBytes), path) {}

Config::Config(std::string_view json, const std::filesystem::path& name) : path_(name) {
  dom::parser parser(kMostBytes);
  simdjson::error_code error = parser.allocate(std::max<size_t>(json.size(), 1), kDeepest);
  dom::element root;
  if (!error) error = parser.parse(json.data(), json.size()).get(root);
  if (error == simdjson::MEMALLOC)
    fail(Fault::resource, "'{}': out of memory while parsing its JSON", path_.string());
  require(!error, Code::damaged_file, "'{}': not valid JSON: {}", path_.string(),
          simdjson::error_message(error));
  dom::object object;
  require(!root.get_object().get(object), Code::damaged_file,
          "'{}': the top-level value is not an object, expected a JSON object", path_.string());
  Flattener(*this).run(object);
}

const Config::Value* Config::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.kind == Kind::null ? nullptr : &found->second;
}

const Config::Value* Config::find(std::string_view name, bool optional, std::string_view expected) const {
  const Value* value = find(name);
  require(value != nullptr || optional, "'{}': {} is missing, expected {}", path_.string(), name, expected);
  return value;
}

std::string Config::shown(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return "missing";
  switch (value->kind) {
    case Kind::boolean:
      return value->flag ? "true" : "false";
    case Kind::integer:
      return fmt::format("{}", value->integer);
    case Kind::number:
      return fmt::format("{}", value->number);
    case Kind::text:
      return quote(value->text).text();
    case Kind::list:
      return fmt::format("a list of length {}", value->integer);
    default:
      return "an object";
  }
}

bool Config::has(std::string_view name) const { return find(name) != nullptr; }

bool Config::is_null(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.kind == Kind::null;
}

bool Config::is_object(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->kind == Kind::object;
}

bool Config::is_list(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->kind == Kind::list;
}

bool Config::is_text(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->kind == Kind::text;
}

int64_t Config::integer(std::string_view name, int64_t least, int64_t most,
                        std::optional<int64_t> preset) const {
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  const Value* value = find(name, preset.has_value(), expected);
  if (value == nullptr) return *preset;
  int64_t result = value->integer;
  // Some writers emit 512.0 for 512.
  if (value->kind == Kind::number && std::abs(value->number) < 0x1p53 &&
      value->number == std::trunc(value->number)) {
    result = static_cast<int64_t>(value->number);
  } else if (value->kind != Kind::integer) {
    refuse(name, "expected {}", expected);
  }
  if (result < least || result > most) refuse(name, "expected {}", expected);
  return result;
}

int64_t Config::size(std::string_view name, std::optional<int64_t> preset) const {
  return integer(name, 1, kMostSize, preset);
}

double Config::number(std::string_view name, double least, double most, std::optional<double> preset) const {
  const std::string expected = fmt::format("a number from {} to {}", least, most);
  const Value* value = find(name, preset.has_value(), expected);
  if (value == nullptr) return *preset;
  if (value->kind != Kind::integer && value->kind != Kind::number) refuse(name, "expected {}", expected);
  if (!(value->number >= least && value->number <= most)) refuse(name, "expected {}", expected);
  return value->number;
}

bool Config::flag(std::string_view name, std::optional<bool> preset) const {
  const Value* value = find(name, preset.has_value(), "true or false");
  if (value == nullptr) return *preset;
  if (value->kind != Kind::boolean) refuse(name, "expected true or false");
  return value->flag;
}

std::string Config::text(std::string_view name, std::optional<std::string_view> preset) const {
  const Value* value = find(name, preset.has_value(), "a string");
  if (value == nullptr) return std::string(*preset);
  if (value->kind != Kind::text) refuse(name, "expected a string");
  return value->text;
}

std::vector<std::string> Config::texts(std::string_view name) const {
  std::vector<std::string> result;
  for (int64_t i = 0; i < count(name); ++i) result.push_back(text(fmt::format("{}.{}", name, i)));
  return result;
}

std::vector<double> Config::numbers(std::string_view name) const {
  std::vector<double> result;
  for (int64_t i = 0; i < count(name); ++i) {
    result.push_back(number(fmt::format("{}.{}", name, i), -1e300, 1e300));
  }
  return result;
}

std::map<std::string, std::string> Config::members(std::string_view name) const {
  if (!is_object(name)) refuse(name, "expected an object");
  std::map<std::string, std::string> result;
  const std::string prefix = std::string(name) + ".";
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) {
    result.emplace(at->first.substr(prefix.size()), text(at->first));
  }
  return result;
}

int64_t Config::count(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return 0;
  if (value->kind != Kind::list && value->kind != Kind::object) refuse(name, "expected a list or an object");
  return value->integer;
}

}  // namespace locus
