// Expects that a call throws a locus::Error with the given fault, and code if one is given, whose text names
// all given values. The wording is free: tests/golden/errors holds the full text of typical errors.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>

#include "locus/base/error.h"

namespace locus {

// Whether a text contains a value as a whole word: "13" does not name "3", nor "rotary" "rot".
inline bool names(std::string_view text, std::string_view value) {
  const auto joined = [](char a, char b) {
    return std::isalnum(static_cast<unsigned char>(a)) && std::isalnum(static_cast<unsigned char>(b));
  };
  for (size_t at = text.find(value); at != std::string_view::npos; at = text.find(value, at + 1)) {
    const size_t end = at + value.size();
    const bool begins = at == 0 || value.empty() || !joined(text[at - 1], value.front());
    if (begins && (end == text.size() || value.empty() || !joined(value.back(), text[end]))) return true;
  }
  return false;
}

// Expects that a text names all values.
inline void expect_named(std::string_view text, std::initializer_list<const char*> values) {
  for (const char* value : values) {
    EXPECT_TRUE(names(text, value)) << "text:    " << text << "\nmissing: " << value;
  }
}

inline void expect_named(const Error& error, std::initializer_list<const char*> values) {
  expect_named(error.what(), values);
}

template <class F>
void expect_error(Fault fault, std::initializer_list<const char*> values, F&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return expect_named(error, values);
  }
  ADD_FAILURE() << "no error; expected fault " << static_cast<int>(fault);
}

template <class F>
void expect_error(Fault fault, Code code, std::initializer_list<const char*> values, F&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_EQ(name_of(error.code()), name_of(code)) << error.what();
    return expect_named(error, values);
  }
  ADD_FAILURE() << "no error; expected " << name_of(code);
}

}  // namespace locus
