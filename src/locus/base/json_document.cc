#include "locus/base/json_document.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <type_traits>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/quote.h"

namespace locus::json {
namespace {

namespace dom = simdjson::dom;

// All references into a parsed document are a pointer and an index. Value keeps them without naming the type,
// so that no other file includes simdjson.
template <class To, class From>
To as(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To>);
  return std::bit_cast<To>(from);
}

template <class T>
std::optional<T> value_of(simdjson::simdjson_result<T> result) {
  T value{};
  if (std::move(result).get(value)) return {};
  return value;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// simdjson refuses integers beyond 64 bits, which JSON allows and some model files contain. Read as a number
// with a fraction they are fine.
std::string with_fractions(std::string_view text) {
  constexpr size_t kLongest = 18;  // integers with this many digits fit
  std::string result;
  bool quoted = false;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i++;
    if (quoted && text[begin] == '\\') i = std::min(i + 1, text.size());
    if (text[begin] == '"') quoted = !quoted;
    const bool number = !quoted && is_digit(text[begin]);
    while (number && i < text.size() && is_digit(text[i])) ++i;
    result += text.substr(begin, i - begin);
    const auto is_one_of = [&](size_t at, std::string_view set) {
      return at < text.size() && set.find(text[at]) != std::string_view::npos;
    };
    const bool inside = is_one_of(begin - 1, ".eE+") ||  // index -1 is past the end
                        (is_one_of(begin - 1, "-") && is_one_of(begin - 2, "eE")) || is_one_of(i, ".eE");
    if (number && i - begin > kLongest && !inside) result += ".0";
  }
  return result;
}

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

struct Document::Parsed {
  dom::document document;
};

bool Value::is_null() const { return as<dom::element>(place_).is_null(); }
std::optional<bool> Value::flag() const { return value_of(as<dom::element>(place_).get_bool()); }
std::optional<int64_t> Value::integer() const { return value_of(as<dom::element>(place_).get_int64()); }
std::optional<uint64_t> Value::unsigned_integer() const {
  return value_of(as<dom::element>(place_).get_uint64());
}
std::optional<double> Value::number() const { return value_of(as<dom::element>(place_).get_double()); }
std::optional<std::string_view> Value::text() const {
  return value_of(as<dom::element>(place_).get_string());
}

std::optional<List> Value::list() const {
  const auto list = value_of(as<dom::element>(place_).get_array());
  return list ? std::optional(List(as<Place>(*list))) : std::nullopt;
}

std::optional<Object> Value::object() const {
  const auto object = value_of(as<dom::element>(place_).get_object());
  return object ? std::optional(Object(as<Place>(*object))) : std::nullopt;
}

std::string Value::print() const { return simdjson::minify(as<dom::element>(place_)); }

Value List::Iterator::operator*() const { return Value(as<Value::Place>(*as<dom::array::iterator>(place_))); }

List::Iterator& List::Iterator::operator++() {
  auto at = as<dom::array::iterator>(place_);
  place_ = as<Value::Place>(++at);
  return *this;
}

List::Iterator List::begin() const { return Iterator(as<Value::Place>(as<dom::array>(place_).begin())); }
List::Iterator List::end() const { return Iterator(as<Value::Place>(as<dom::array>(place_).end())); }

size_t List::size() const {
  size_t count = 0;  // simdjson's own count stops at 2^24 - 1
  for (auto at = begin(); at != end(); ++at) ++count;
  return count;
}

Value List::operator[](size_t i) const {
  Iterator at = begin();
  for (; i > 0; --i) ++at;
  return *at;
}

std::pair<std::string_view, Value> Object::Iterator::operator*() const {
  const auto at = as<dom::object::iterator>(place_);
  return {at.key(), Value(as<Value::Place>(at.value()))};
}

Object::Iterator& Object::Iterator::operator++() {
  auto at = as<dom::object::iterator>(place_);
  place_ = as<Value::Place>(++at);
  return *this;
}

Object::Iterator Object::begin() const { return Iterator(as<Value::Place>(as<dom::object>(place_).begin())); }
Object::Iterator Object::end() const { return Iterator(as<Value::Place>(as<dom::object>(place_).end())); }

size_t Object::size() const {
  size_t count = 0;
  for (auto at = begin(); at != end(); ++at) ++count;
  return count;
}

std::optional<Value> Object::find(std::string_view name) const {
  std::optional<Value> found;
  for (const auto [key, value] : *this) {
    if (key == name) found = value;
  }
  return found;
}

Document::Document(std::string_view text, std::string where, size_t depth)
    : where_(std::move(where)), parsed_(std::make_unique<Parsed>()) {
  dom::parser parser;
  const auto parse = [&](std::string_view all) {
    if (const auto error = parser.allocate(std::max<size_t>(all.size(), 1), depth)) return error;
    // simdjson copies the text. The data of an empty view may be null.
    return parser.parse_into_document(parsed_->document, all.empty() ? "" : all.data(), all.size()).error();
  };
  simdjson::error_code error = parse(text);
  // The code for a too large integer depends on the version of simdjson.
  if (error && error != simdjson::MEMALLOC && error != simdjson::DEPTH_ERROR)
    error = parse(with_fractions(text));
  if (error == simdjson::MEMALLOC) fail(Fault::resource, "{}: out of memory while parsing its JSON", where_);
  if (error == simdjson::DEPTH_ERROR) {
    fail({Fault::data, Code::damaged_file}, "{}: the JSON is nested too deeply, expected at most {} levels",
         where_, depth);
  }
  require(!error, Code::damaged_file, "{}: invalid JSON: {}", where_, simdjson::error_message(error));
}

Document::Document(const std::filesystem::path& file, ReadLimits limits)
    : Document(read_file(file, limits.bytes), fmt::format("'{}'", file.string()), limits.depth) {}

Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Value Document::root() const { return Value(as<Value::Place>(parsed_->document.root())); }

Object Document::object() const {
  const auto object = root().object();
  if (!object) {
    fail({Fault::data, Code::damaged_file}, "{}: the JSON value is {}, expected a JSON object", where_,
         quote(root().print()));
  }
  return *object;
}

Value Document::member(std::string_view name) const {
  const auto value = object().find(name);
  require(value.has_value(), "{}: member '{}' is missing", where_, name);
  return *value;
}

std::string Document::text(std::string_view name) const {
  const Value value = member(name);
  const auto text = value.text();
  if (!text) refuse(fmt::format("'{}'", name), value, "a string");
  return std::string(*text);
}

void Document::refuse(const std::string& what, Value value, std::string_view expected) const {
  fail(Fault::data, "{}: {} is {}, expected {}", where_, what, quote(value.print()), expected);
}

}  // namespace locus::json
