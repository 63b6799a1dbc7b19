// The values of a chat template: those of Python that templates use. Values do not change, except the members
// of a namespace. Lists and maps nest at most kMostDepth deep.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "locus/text/marked_text.h"

namespace locus::chat {

inline constexpr int kMostDepth = 64;

class Value;
class Steps;

// A generator is what map() and select() return. Unlike a list, it is true even if it is empty.
enum class ListKind { list, tuple, generator };

struct Undefined {
  std::string name;  // of the variable or member that does not exist
};
struct None {};
struct List;
struct Map;
struct Namespace;
struct Function;
struct Loop;

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

class Value {
 public:
  Value() : data_(None{}) {}
  explicit Value(bool flag) : data_(flag) {}
  explicit Value(int64_t number) : data_(number) {}
  explicit Value(double number) : data_(number) {}
  explicit Value(MarkedText text) : data_(std::make_shared<const MarkedText>(std::move(text))) {}
  explicit Value(std::string_view text) : Value(MarkedText(std::string(text))) {}
  explicit Value(const char* text) : Value(std::string_view(text)) {}
  static Value undefined(std::string name);
  static Value list(std::vector<Value> items, ListKind kind = ListKind::list);
  static Value map(std::vector<std::pair<Value, Value>> items);  // a later item replaces an equal key
  static Value names(std::vector<std::pair<std::string, Value>> members);  // a namespace
  static Value function(std::string name, std::function<Value(Steps&, const Arguments&)> call);
  static Value loop(std::shared_ptr<const Loop> loop);

  bool is_undefined() const { return get<Undefined>() != nullptr; }
  bool is_none() const { return get<None>() != nullptr; }
  const Undefined* as_undefined() const { return get<Undefined>(); }
  const bool* as_flag() const { return get<bool>(); }
  const int64_t* as_integer() const { return get<int64_t>(); }
  const double* as_float() const { return get<double>(); }
  const MarkedText* as_text() const { return shared<const MarkedText>(); }
  const List* as_list() const { return shared<const List>(); }
  const Map* as_map() const { return shared<const Map>(); }
  Namespace* as_names() const { return shared<Namespace>(); }
  const Function* as_function() const { return shared<const Function>(); }
  const Loop* as_loop() const { return shared<const Loop>(); }

  bool truth() const;
  std::string_view type() const;  // as Python names it: "str", "list", ..
  int depth() const;              // 0 unless it is a list or a map
  size_t weight() const;          // the work to print or compare it, in steps; counts shared parts repeatedly

 private:
  template <class T>
  const T* get() const {
    return std::get_if<T>(&data_);
  }
  template <class T>
  T* shared() const {
    const auto* found = std::get_if<std::shared_ptr<T>>(&data_);
    return found == nullptr ? nullptr : found->get();
  }

  std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const MarkedText>,
               std::shared_ptr<const List>, std::shared_ptr<const Map>, std::shared_ptr<Namespace>,
               std::shared_ptr<const Function>, std::shared_ptr<const Loop>>
      data_;
};

struct List {
  std::vector<Value> items;
  ListKind kind = ListKind::list;
  int depth = 1;
  size_t weight = 1;
};
struct Map {
  std::vector<std::pair<Value, Value>> items;
  int depth = 1;
  size_t weight = 1;
  const Value* find(std::string_view key) const;
  const Value* find(const Value& key) const;
};
struct Namespace {
  std::vector<std::pair<std::string, Value>> members;
  const Value* find(std::string_view name) const;
  void set(const std::string& name, Value value);
};
// A macro, a function, or a method bound to its value.
struct Function {
  std::string name;
  std::function<Value(Steps&, const Arguments&)> call;
};

// Throws if a value may not be inside of a list, a map or a namespace: those that refer to variables of the
// template could outlive them.
void require_storable(const Value& value);

bool equal(const Value& a, const Value& b);  // as Python's ==

}  // namespace locus::chat
