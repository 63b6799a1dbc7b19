#include "tests/program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

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
  // Under the sanitizer a leak check takes seconds at every exit; this process gets one, its children do not.
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

}  // namespace locus
