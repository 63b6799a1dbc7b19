// The one way Locus says no: an Error that carries a sentence for a person and a kind for a program.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace locus {

// What went wrong, numbered as the program's exit codes.
enum class Fault {
  bug = 1,
  usage = 2,     // an option or argument that makes no sense
  data = 3,      // values, shapes or file contents that cannot be right
  io = 4,        // the operating system refused
  resource = 5,  // memory or a device ran out
  diverged = 6,  // training left the finite numbers
  peer = 7,      // another process of a distributed run failed
};

class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

template <class... Parts>
[[noreturn]] void fail(Fault fault, fmt::format_string<Parts...> text, Parts&&... parts) {
  throw Error(fault, fmt::format(text, std::forward<Parts>(parts)...));
}

// Checks what came from outside; the text names the place, the argument, the value and what was expected.
template <class... Parts>
void require(bool condition, fmt::format_string<Parts...> text, Parts&&... parts) {
  if (!condition) [[unlikely]] {
    fail(Fault::data, text, std::forward<Parts>(parts)...);
  }
}

}  // namespace locus
