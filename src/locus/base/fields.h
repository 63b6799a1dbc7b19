// Plain structs with named members. They are read from text, with all problems reported together, and written
// as text that reads back to the same values. A struct lists its members in one place:
//
//   struct Settings {
//     int64_t steps = 100;
//     Schedule schedule = Schedule::cosine;
//     template <class V> void fields(V& v) {
//       v.integer("steps", steps, 1, 1e9, "number of optimizer steps");
//       v.choice("schedule", schedule, "constant|linear|cosine", "learning rate schedule");
//     }
//   };
//
// The words of a choice are in the order of the enum.
#pragma once

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/options.h"
#include "locus/base/parse.h"

namespace locus {

// A member of a struct as an option. Its current value is the default.
struct Field {
  OptionSpec spec;    // without the default, which is `value`
  std::string value;  // the member as text
};

class FieldLister {
 public:
  template <std::floating_point T>
  void number(std::string_view name, const T& member, double least, double most, std::string_view help) {
    add({name, OptionSpec::Kind::number, "", help, "", least, most}, fmt::format("{}", member));
  }
  template <std::integral T>
  void integer(std::string_view name, const T& member, double least, double most, std::string_view help) {
    add({name, OptionSpec::Kind::integer, "", help, "", least, most}, fmt::format("{}", member));
  }
  void numbers(std::string_view name, const std::vector<double>& member, double least, double most,
               std::string_view help) {
    add({name, OptionSpec::Kind::numbers, "", help, "", least, most},
        fmt::format("{}", fmt::join(member, ", ")));
  }
  void flag(std::string_view name, const bool& member, std::string_view help) {
    add({.name = name, .kind = OptionSpec::Kind::boolean, .help = help}, member ? "true" : "false");
  }
  void text(std::string_view name, const std::string& member, std::string_view help) {
    add({.name = name, .kind = OptionSpec::Kind::text, .help = help}, member);
  }
  template <class E>
  void choice(std::string_view name, const E& member, std::string_view choices, std::string_view help) {
    add({name, OptionSpec::Kind::choice, "", help, choices}, word(choices, static_cast<size_t>(member)));
  }
  std::vector<Field> fields;

 private:
  static std::string word(std::string_view choices, size_t index);
  void add(const OptionSpec& spec, std::string value) { fields.push_back({spec, std::move(value)}); }
};

class FieldReader {
 public:
  explicit FieldReader(const OptionValues& values) : values_(values) {}
  template <std::floating_point T>
  void number(std::string_view name, T& member, double least, double most, std::string_view) {
    if (const auto* value = find({name, OptionSpec::Kind::number, "", "", "", least, most})) {
      member = static_cast<T>(*parse<double>(*value));
    }
  }
  template <std::integral T>
  void integer(std::string_view name, T& member, double least, double most, std::string_view) {
    if (const auto* value = find({name, OptionSpec::Kind::integer, "", "", "", least, most})) {
      member = static_cast<T>(*parse<int64_t>(*value));
    }
  }
  void numbers(std::string_view name, std::vector<double>& member, double least, double most,
               std::string_view) {
    if (const auto* value = find({name, OptionSpec::Kind::numbers, "", "", "", least, most})) {
      member = numbers_of(*value);
    }
  }
  void flag(std::string_view name, bool& member, std::string_view) {
    if (const auto* value = find({.name = name, .kind = OptionSpec::Kind::boolean}))
      member = *value == "true";
  }
  void text(std::string_view name, std::string& member, std::string_view) {
    if (const auto* value = find({.name = name, .kind = OptionSpec::Kind::text})) member = *value;
  }
  template <class E>
  void choice(std::string_view name, E& member, std::string_view choices, std::string_view) {
    if (const auto* value = find({name, OptionSpec::Kind::choice, "", "", choices})) {
      member = static_cast<E>(index(choices, *value));
    }
  }
  // The problems with values, then those with names that no member has.
  std::vector<std::string> problems() const;

 private:
  static size_t index(std::string_view choices, std::string_view word);
  static std::vector<double> numbers_of(std::string_view list);
  // Null if the value is absent, or not acceptable, which is added to problems_.
  const std::string* find(const OptionSpec& spec);
  const OptionValues& values_;
  std::vector<OptionSpec> known_;
  std::vector<std::string> problems_;
};

template <class T>
std::vector<Field> fields_of(T object) {
  FieldLister lister;
  object.fields(lister);
  return std::move(lister.fields);
}

template <class T>
OptionValues field_values(const T& object) {
  OptionValues values;
  for (Field& field : fields_of(object)) values.emplace(field.spec.name, std::move(field.value));
  return values;
}

// Assigns the given values to the object's members. Returns the problems: values that are not acceptable, and
// unknown names.
template <class T>
std::vector<std::string> read_fields(T& object, const OptionValues& values) {
  FieldReader reader(values);
  object.fields(reader);
  return reader.problems();
}

// The members of a struct as options with its defaults. The list exists until the program ends.
template <class T>
std::span<const OptionSpec> option_specs() {
  static const std::vector<Field> fields = fields_of(T());
  static const std::vector<OptionSpec> specs = [] {
    std::vector<OptionSpec> list;
    for (const Field& field : fields) {
      list.push_back(field.spec);
      list.back().preset = field.value;
    }
    return list;
  }();
  return specs;
}

// The struct with these options, which are checked and complete.
template <class T>
T read_options(const Options& options) {
  T object;
  FieldReader reader(options.values());
  object.fields(reader);
  return object;
}

// Throws one error with all problems, if there are any. Its code is unknown_option if every problem is an
// unknown name.
void refuse(std::string_view owner, const std::vector<std::string>& problems);

}  // namespace locus
