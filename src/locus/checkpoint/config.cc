#include "locus/checkpoint/config.h"

#include <cmath>
#include <utility>

#include "locus/base/file.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

constexpr uint64_t kMostBytes = 64 << 20;  // the largest configs, with a name for every label, have a few MB
constexpr size_t kDeepest = 64;
constexpr int64_t kMostSize = 1 << 24;

std::string shown_value(json::Value value, size_t size) {
  if (value.is_null()) return "null";
  if (value.list()) return fmt::format("a list of length {}", size);
  if (value.object()) return "an object";
  if (const auto text = value.text()) return quote(*text).text();
  return value.print();
}

}  // namespace

Config::Config(const std::filesystem::path& path) : Config(read_file(path, kMostBytes), path) {}

Config::Config(std::string_view json, const std::filesystem::path& name)
    : path_(name), document_(json, fmt::format("'{}'", name.string()), kDeepest) {
  require(document_.root().object().has_value(), Code::damaged_file,
          "'{}': the top-level value is not an object, expected a JSON object", path_.string());
  root_ = children_of(document_.root());
}

std::optional<json::Value> Config::Children::find(std::string_view name) const {
  if (list) {
    const auto i = parse<uint64_t>(name);
    return i && *i < elements.size() ? std::optional(elements[*i]) : std::nullopt;
  }
  const auto found = members.find(name);
  if (found == members.end()) return std::nullopt;
  found->second.read = true;
  return found->second.value;
}

Config::Children Config::children_of(json::Value value) {
  Children children;
  if (const auto list = value.list()) {
    children.list = true;
    for (const json::Value item : *list) children.elements.push_back(item);
  } else if (const auto object = value.object()) {
    for (const auto [key, member] : *object) children.members.insert_or_assign(key, Member{member});
  }
  return children;
}

const Config::Children& Config::children(std::string_view name, json::Value value) const {
  const auto [at, fresh] = opened_.try_emplace(std::string(name));
  if (fresh) at->second = children_of(value);
  return at->second;
}

std::optional<json::Value> Config::value(std::string_view name) const {
  const Children* parent = &root_;
  for (size_t begin = 0;;) {
    const size_t dot = name.find('.', begin);
    const auto found = parent->find(name.substr(begin, dot - begin));
    if (!found || dot == std::string_view::npos) return found;
    parent = &children(name.substr(0, dot), *found);
    begin = dot + 1;
  }
}

std::optional<json::Value> Config::find(std::string_view name) const {
  const auto found = value(name);
  return found && !found->is_null() ? found : std::nullopt;
}

std::optional<json::Value> Config::find(std::string_view name, bool optional,
                                        std::string_view expected) const {
  const auto found = find(name);
  require(found || optional, "'{}': {} is missing, expected {}", path_.string(), name, expected);
  return found;
}

std::string Config::shown(std::string_view name) const {
  const auto found = value(name);
  if (!found) return "missing";
  return shown_value(*found, found->list() ? static_cast<size_t>(count(name)) : 0);
}

bool Config::has(std::string_view name) const { return find(name).has_value(); }

bool Config::is_null(std::string_view name) const {
  const auto found = value(name);
  return found && found->is_null();
}

bool Config::is_object(std::string_view name) const {
  const auto found = find(name);
  return found && found->object();
}

bool Config::is_list(std::string_view name) const {
  const auto found = find(name);
  return found && found->list();
}

bool Config::is_text(std::string_view name) const {
  const auto found = find(name);
  return found && found->is_text();
}

int64_t Config::integer(std::string_view name, int64_t least, int64_t most,
                        std::optional<int64_t> preset) const {
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  const auto found = find(name, preset.has_value(), expected);
  if (!found) return *preset;
  std::optional<int64_t> whole = found->integer();
  // Some writers emit 512.0 for 512.
  const std::optional<double> number = found->number();
  if (!whole && number && std::abs(*number) < 0x1p53 && *number == std::trunc(*number)) {
    whole = static_cast<int64_t>(*number);
  }
  if (!whole || *whole < least || *whole > most) refuse(name, "expected {}", expected);
  return *whole;
}

int64_t Config::size(std::string_view name, std::optional<int64_t> preset) const {
  return integer(name, 1, kMostSize, preset);
}

double Config::number(std::string_view name, double least, double most, std::optional<double> preset) const {
  const std::string expected = fmt::format("a number from {} to {}", least, most);
  const auto found = find(name, preset.has_value(), expected);
  if (!found) return *preset;
  const auto number = found->number();
  if (!number || !(*number >= least && *number <= most)) refuse(name, "expected {}", expected);
  return *number;
}

bool Config::flag(std::string_view name, std::optional<bool> preset) const {
  const auto found = find(name, preset.has_value(), "true or false");
  if (!found) return *preset;
  const auto flag = found->flag();
  if (!flag) refuse(name, "expected true or false");
  return *flag;
}

std::string Config::text(std::string_view name, std::optional<std::string_view> preset) const {
  const auto found = find(name, preset.has_value(), "a string");
  if (!found) return std::string(*preset);
  const auto text = found->text();
  if (!text) refuse(name, "expected a string");
  return std::string(*text);
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
  for (const auto& [key, member] : children(name, *find(name)).members) {
    member.read = true;
    const auto text = member.value.text();
    if (!text) {
      fail(Fault::data, "'{}': {} is {}, expected a string", path_.string(),
           quote(fmt::format("{}.{}", name, key)), quote(member.value.print()));
    }
    result.emplace(key, *text);
  }
  return result;
}

int64_t Config::count(std::string_view name) const {
  const auto found = find(name);
  if (!found) return 0;
  if (!found->list() && !found->object()) refuse(name, "expected a list or an object");
  return static_cast<int64_t>(children(name, *found).size());
}

void Config::each_unread(const Children& children, const std::string& before,
                         const FieldVisitor& visit) const {
  for (const auto& [key, member] : children.members) {
    const json::Value value = member.value;
    const std::string name = before + std::string(key);
    const auto list = value.list();
    const auto object = value.object();
    if (!member.read && !value.is_null() && !(list && list->begin() == list->end()) &&
        !(object && object->begin() == object->end())) {
      visit(name, shown_value(value, list ? list->size() : 0));
    }
    if (!member.read || !object) continue;
    if (const auto opened = opened_.find(name); opened != opened_.end())
      each_unread(opened->second, name + ".", visit);
  }
}

}  // namespace locus
