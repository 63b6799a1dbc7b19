// Reads untrusted JSON. A Document is parsed completely before any of it is used. If a name occurs twice in
// an object, the last value counts, as in Python. Errors begin with where the text comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace locus::json {

bool is_utf8(std::string_view text);  // which JSON requires

class List;
class Object;

// A value of a document, which must outlive it. Getters return nothing if the value has another type.
class Value {
 public:
  bool is_null() const;
  bool is_text() const { return text().has_value(); }
  std::optional<bool> flag() const;
  std::optional<int64_t> integer() const;  // written without fraction and exponent
  std::optional<uint64_t> unsigned_integer() const;
  std::optional<double> number() const;
  std::optional<std::string_view> text() const;
  std::optional<List> list() const;
  std::optional<Object> object() const;
  std::string print() const;  // the shortest JSON text of the value

 private:
  friend class Document;
  friend class List;
  friend class Object;
  // A position in the parser's memory.
  struct Place {
    const void* document;
    size_t index;
    bool operator==(const Place&) const = default;
  };
  explicit Value(Place place) : place_(place) {}
  Place place_;
};

class List {
 public:
  class Iterator {
   public:
    explicit Iterator(Value::Place place) : place_(place) {}
    Value operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    Value::Place place_;
  };
  Iterator begin() const;
  Iterator end() const;
  size_t size() const;               // linear in the size of the list
  Value operator[](size_t i) const;  // linear in i, which must be less than size()

 private:
  friend class Value;
  explicit List(Value::Place place) : place_(place) {}
  Value::Place place_;
};

class Object {
 public:
  class Iterator {
   public:
    explicit Iterator(Value::Place place) : place_(place) {}
    std::pair<std::string_view, Value> operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    Value::Place place_;
  };
  Iterator begin() const;
  Iterator end() const;
  size_t size() const;                                     // linear; counts a name as often as it occurs
  std::optional<Value> find(std::string_view name) const;  // linear; null is a value

 private:
  friend class Value;
  explicit Object(Value::Place place) : place_(place) {}
  Value::Place place_;
};

struct ReadLimits {
  uint64_t bytes = uint64_t{1} << 30;  // of a file
  size_t depth = 1024;                 // of lists and objects in each other
};

class Document {
 public:
  Document(std::string_view text, std::string where, size_t depth = ReadLimits().depth);
  explicit Document(const std::filesystem::path& file, ReadLimits limits = {});
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  const std::string& where() const { return where_; }
  Value root() const;
  Object object() const;  // the outermost value; throws if it is not an object

  // A required member of the outermost object, and one that must be a string.
  Value member(std::string_view name) const;
  std::string text(std::string_view name) const;
  // Throws because `what`, which has this value, is not as expected.
  [[noreturn]] void refuse(const std::string& what, Value value, std::string_view expected) const;

 private:
  struct Parsed;
  std::string where_;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace locus::json
