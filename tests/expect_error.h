// Expects that a call throws a locus::Error of the given kind whose text contains every one of the parts.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "locus/base/error.h"

namespace locus {

template <class F>
void expect_error(Fault fault, std::initializer_list<const char*> parts, F&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    for (const char* part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "the error is: " << error.what() << "\nwithout:      " << part;
    }
    return;
  }
  ADD_FAILURE() << "no error; expected one with '" << *parts.begin() << "'";
}

}  // namespace locus
