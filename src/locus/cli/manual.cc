// locus manual: prints the manual page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "locus/base/version.h"
#include "locus/cli/outline.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

// Escapes text for man: a backslash would start an escape, a leading dot a request, and a plain hyphen would
// be typeset as a character that cannot be copied.
std::string plain(std::string_view text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

std::string as_it_is(std::string_view text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", plain(text));
}

std::string arguments(const Outline& command) {
  std::string result;
  for (const Argument& argument : command.arguments) {
    const std::string names = fmt::format("{}", fmt::join(argument.names, ", "));
    result += fmt::format(".TP\n.B {}\n", plain(names));
    if (!argument.value.empty() && !argument.positional) {
      result.insert(result.size() - 1, plain(" " + argument.value));
    }
    result += plain(argument.meaning);
    if (!argument.choices.empty()) {
      result += plain(fmt::format(" ({})", fmt::join(argument.choices, ", ")));
    }
    if (argument.required) result += "; required";
    result += '\n';
  }
  return result;
}

std::string page(const CLI::App& program) {
  const Outline whole = outline(program);
  std::string result = fmt::format(
      ".TH LOCUS 1 \"\" \"Locus {}\" \"User Commands\"\n"
      ".SH NAME\nlocus \\- positional encodings of transformers\n"
      ".SH SYNOPSIS\n.B locus\n.I COMMAND\n[\\fIOPTION\\fR]...\n"
      ".SH OPTIONS\n{}.SH COMMANDS\n",
      version(), arguments(whole));
  for (const Outline& command : outlines(program)) {
    result += fmt::format(".SS {}\n{}\n{}{}", command.name, plain(command.summary), arguments(command),
                          as_it_is(command.footer));
  }
  return result +
         ".SH ENVIRONMENT\n.TP\n.B LOCUS_THREADS\nNumber of threads; the default is the number of cores.\n"
         ".TP\n.B LOCUS_DATA\nA folder in which to look for data files of training configurations that do "
         "not exist at their own path.\n"
         ".SH NOTES\n" +
         as_it_is(whole.footer);
}

}  // namespace

void add_manual(CLI::App& program) {
  Command command(program, "manual", "Print the manual page");
  command.footer("Example:\n  locus manual > locus.1 && man ./locus.1");
  command.callback([&program] { print(page(program)); });
}

}  // namespace locus::cli
