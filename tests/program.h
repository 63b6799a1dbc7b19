// Runs the program `locus`, or an example, as a user would and keeps what it said.
#pragma once

#include <string>
#include <string_view>

namespace locus {

struct Outcome {
  int exit_code = 0;  // -1 when a signal ended it
  std::string out, err;
};

// `arguments` and `environment` ("LOCUS_THREADS=2") are words for the shell; a redirection among the
// arguments wins.
Outcome run_program(const std::string& arguments, const std::string& environment = "");

// The same for a program of examples/.
Outcome run_example(const std::string& name, const std::string& environment = "",
                    const std::string& arguments = "");

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace locus
