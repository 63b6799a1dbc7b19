// Runs the program `locus`, or an example, as a user would, and keeps its output.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace locus {

struct Outcome {
  int exit_code = 0;  // -1 when a signal ended it
  std::string out, err;
};

// `arguments` and `environment` ("LOCUS_THREADS=2") are shell words. A redirection among the arguments
// replaces the default one.
Outcome run_program(const std::string& arguments, const std::string& environment = "");

// The same for a program of examples/.
Outcome run_example(const std::string& name, const std::string& environment = "",
                    const std::string& arguments = "");

// The text names each value as a whole word.
void expect_values(const std::string& text, std::initializer_list<std::string_view> values);

// The program fails with this exit code, prints nothing to stdout, and its error names each value as a whole
// word. The wording is free: tests/golden/errors holds the full text of typical errors.
void expect_program_fault(int exit_code, const std::string& arguments,
                          std::initializer_list<std::string_view> values,
                          const std::string& environment = "");

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace locus
