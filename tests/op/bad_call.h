// Expects that a call of an op fails with Fault::data, the code of the function's name, and an error that
// names the op, the argument and the given values.
#pragma once

#include <initializer_list>

#include "tests/expect_error.h"

namespace locus {

template <class F>
void expect_bad_argument(std::initializer_list<const char*> values, F&& call) {
  expect_error(Fault::data, Code::none, values, call);
}
template <class F>
void expect_bad_shape(std::initializer_list<const char*> values, F&& call) {
  expect_error(Fault::data, Code::bad_shape, values, call);
}
template <class F>
void expect_bad_token(std::initializer_list<const char*> values, F&& call) {
  expect_error(Fault::data, Code::bad_token, values, call);
}
template <class F>
void expect_bad_position(std::initializer_list<const char*> values, F&& call) {
  expect_error(Fault::data, Code::bad_position, values, call);
}

}  // namespace locus
