// Plain structs whose members have names: read from text with every problem listed at once, written as text
// that reads back to the same values. A struct says what it holds in one place:
//
//   struct Settings {
//     int64_t steps = 100;
//     Schedule schedule = Schedule::cosine;
//     template <class V> void fields(V& v) {
//       v.integer("steps", steps, 1, 1e9, "optimiser steps in all");
//       v.choice("schedule", schedule, "constant|linear|cosine", "how the rate falls");
//     }
//   };
//
// The words of a choice stand in the order of the enum.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/options.h"
#include "locus/base/parse.h"

namespace locus {

// The members of a struct as options, with the values it holds as their presets.
struct Field {
  OptionSpec spec;    // all but the preset
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
  // What was wrong with the values met, then with the names that no member has.
  std::vector<std::string> problems() const;

 private:
  static size_t index(std::string_view choices, std::string_view word);
  const std::string* find(const OptionSpec& spec);  // nothing when absent or, noted, not acceptable
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

// Puts the values given into the object's members and returns what is wrong with them, if anything: values
// that are not acceptable, names that are not known.
template <class T>
std::vector<std::string> read_fields(T& object, const OptionValues& values) {
  FieldReader reader(values);
  object.fields(reader);
  return reader.problems();
}

// Throws when there are problems, all of them in one error.
void refuse(std::string_view owner, const std::vector<std::string>& problems);

}  // namespace locus
