#include "tests/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Outcome run_command(const std::string& program, const std::string& arguments,
                    const std::string& environment) {
  const TemporaryFolder folder;
  const auto out = folder / "out", err = folder / "err";
  // Under the sanitizer a leak check takes seconds at every exit: only the test process itself does one.
  const std::string command =
      fmt::format("ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 {} {} >'{}' 2>'{}' </dev/null {}", environment,
                  program, out.string(), err.string(), arguments);
  const int status = std::system(command.c_str());
  return {
      .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = contents(out), .err = contents(err)};
}

}  // namespace

Outcome run_program(const std::string& arguments, const std::string& environment) {
  return run_command(LOCUS_PROGRAM, arguments, environment);
}

Outcome run_example(const std::string& name, const std::string& environment, const std::string& arguments) {
  return run_command(LOCUS_EXAMPLES + name, arguments, environment);
}

void expect_values(const std::string& text, std::initializer_list<std::string_view> values) {
  for (const std::string_view value : values) {
    EXPECT_TRUE(names(text, value)) << "the text is: " << text << "\nwithout:     " << value;
  }
}

void expect_program_fault(int exit_code, const std::string& arguments,
                          std::initializer_list<std::string_view> values, const std::string& environment) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, "locus " + arguments);
  const Outcome outcome = run_program(arguments, environment);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("locus: ")) << outcome.err;
  expect_values(outcome.err, values);
}

}  // namespace locus
