// How Locus reports a failure. An Error carries a message for people; a fault, a code and the values in the
// message for programs; and a hint that the reader can act on.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

// What kind of failure it is. The numbers are the exit codes of the program.
enum class Fault {
  bug = 1,
  usage = 2,     // an option or argument is not valid
  data = 3,      // values, shapes or file contents are not valid
  io = 4,        // a call to the operating system failed
  resource = 5,  // memory or a device ran out
  diverged = 6,  // a training loss or gradient is not finite
  peer = 7,      // another process of a distributed run failed
};

// Which failure it is, for those that a caller may want to handle. Names and meanings are stable.
enum class Code {
  none,
  bad_shape,          // a tensor's shape, dtype or device does not fit the operation
  bad_token,          // a token id is outside the vocabulary
  bad_position,       // a position is negative, fractional or past the end of a table
  context_too_long,   // a text has more tokens than the model can read
  unknown_scheme,     // no position scheme has this name
  unknown_option,     // no option or setting has this name
  unknown_family,     // the model_type of a config.json is not supported
  unsupported_field,  // a model's file asks for something that Locus does not compute
  wrong_head,         // the model has no head for this task
  missing_file,       // a file or folder does not exist
  damaged_file,       // a file is truncated or malformed
  output_exists,      // the output would overwrite or mix with existing files
  run_mismatch,       // a folder holds a run or study with other settings
  graph_freed,        // backward() ran twice on one graph
  no_gpu,             // this machine, or this build of Locus, cannot compute on a GPU
};
std::string_view name_of(Code code);

// Fault, code and hint of a failure. A plain Fault converts to it.
struct Failure {
  // NOLINTNEXTLINE(google-explicit-constructor)
  Failure(Fault fault_, Code code_ = Code::none, std::string hint_ = "")
      : fault(fault_), code(code_), hint(std::move(hint_)) {}

  Fault fault;
  Code code;
  std::string hint;  // empty: no hint
};

class Error : public std::runtime_error {
 public:
  // what() is the message, followed by "; " and the hint if there is one.
  Error(const Failure& failure, const std::string& message, std::vector<std::string> values = {});

  Fault fault() const { return details_->failure.fault; }
  Code code() const { return details_->failure.code; }
  const std::string& hint() const { return details_->failure.hint; }
  const std::string& message() const { return details_->message; }  // without the hint
  // The values that the message names, in its order: shapes, ids, paths, limits.
  const std::vector<std::string>& values() const { return details_->values; }

  Error at(std::string_view place) const;          // the same error with "place: " before its message
  Error with_hint(const std::string& hint) const;  // the same error with this hint instead of its own

 private:
  struct Details {
    Failure failure;
    std::string message;
    std::vector<std::string> values;
  };
  std::shared_ptr<const Details> details_;  // shared: copying an exception must not throw
};

// An error whose values are the arguments of its message.
Error make_error(const Failure& failure, fmt::string_view text, fmt::format_args parts);

template <class... Parts>
[[noreturn]] void fail(const Failure& failure, fmt::format_string<Parts...> text, Parts&&... parts) {
  throw make_error(failure, text, fmt::make_format_args(parts...));
}

// Checks input from outside. The text names the place, the argument, the value and what was expected.
template <class... Parts>
void require(bool condition, fmt::format_string<Parts...> text, Parts&&... parts) {
  if (!condition) [[unlikely]] {
    throw make_error(Fault::data, text, fmt::make_format_args(parts...));
  }
}
template <class... Parts>
void require(bool condition, Code code, fmt::format_string<Parts...> text, Parts&&... parts) {
  if (!condition) [[unlikely]] {
    throw make_error({Fault::data, code}, text, fmt::make_format_args(parts...));
  }
}

}  // namespace locus
