// locus completion: scripts that let a shell complete the command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "locus/cli/outline.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool here = text.substr(at, from.size()) == from;
    result += here ? to : text.substr(at, 1);
    at += here ? from.size() : 1;
  }
  return result;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string command_names(const std::vector<Outline>& commands) {
  std::vector<std::string> names;
  for (const Outline& command : commands) names.push_back(command.name);
  return joined(names);
}

// The words that can stand where no option is.
std::vector<std::string> positional_choices(const Outline& command) {
  for (const Argument& argument : command.arguments) {
    if (argument.positional && !argument.choices.empty()) return argument.choices;
  }
  return {};
}

bool is_number(const Argument& argument) {
  return argument.value == "INT" || argument.value == "UINT" || argument.value == "FLOAT";
}

// A case without words leaves it to the shell, which offers files.
std::string bash(const std::vector<Outline>& commands) {
  std::string options, values;
  for (const Outline& command : commands) {
    std::vector<std::string> names;
    const auto words = positional_choices(command);
    for (const Argument& argument : command.arguments) {
      if (argument.positional) continue;
      names.insert(names.end(), argument.names.begin(), argument.names.end());
      if (argument.value.empty() || (argument.choices.empty() && words.empty())) continue;
      for (const std::string& name : argument.names) {
        values += fmt::format("      '{} {}') words='{}' ;;\n", command.name, name, joined(argument.choices));
      }
    }
    options += fmt::format("      {}) words='{}' ;;\n", command.name, joined(names));
    if (!words.empty()) values += fmt::format("      '{} '*) words='{}' ;;\n", command.name, joined(words));
  }
  return fmt::format(
      "# Completion of locus for bash, made by locus completion bash.\n"
      "_locus() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words='{} --help --version'\n"
      "  elif [[ $word == -* ]]; then\n"
      "    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
      "  else\n"
      "    case \"${{COMP_WORDS[1]}} $before\" in\n{}    esac\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
      "}}\n"
      "complete -o default -F _locus locus\n",
      command_names(commands), options, values);
}

std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"})
    text = replaced(text, special, std::string("\\") + special);
  return replaced(text, "'", "'\\''");
}

std::string zsh_value(const Argument& argument) {
  if (argument.value.empty()) return "";
  if (is_number(argument)) return fmt::format(":{}:", argument.value);
  return argument.choices.empty() ? fmt::format(":{}:_files", argument.value)
                                  : fmt::format(":{}:({})", argument.value, joined(argument.choices));
}

std::string zsh(const std::vector<Outline>& commands) {
  std::string summaries, cases;
  for (const Outline& command : commands) {
    summaries += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const Argument& argument : command.arguments) {
      if (argument.positional) {
        cases += fmt::format(" \\\n      '{}{}'", argument.many ? "*" : "", zsh_value(argument));
        continue;
      }
      for (const std::string& name : argument.names) {
        cases += fmt::format(" \\\n      '{}{}[{}]{}'", argument.many ? "*" : "", name,
                             zsh_text(argument.meaning), zsh_value(argument));
      }
    }
    cases += " ;;\n";
  }
  return fmt::format(
      "#compdef locus\n"
      "# Completion of locus for zsh, made by locus completion zsh.\n"
      "_locus() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n{}  esac\n"
      "}}\n"
      "_locus \"$@\"\n",
      summaries, cases);
}

std::string fish_text(const std::string& text) {
  return fmt::format("'{}'", replaced(replaced(text, "\\", "\\\\"), "'", "\\'"));
}

std::string fish(const std::vector<Outline>& commands) {
  std::string lines = "# Completion of locus for fish, made by locus completion fish.\n";
  for (const Outline& command : commands) {
    lines += fmt::format("complete -c locus -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                         fish_text(command.summary));
    const std::string here =
        fmt::format("complete -c locus -n '__fish_seen_subcommand_from {}'", command.name);
    for (const Argument& argument : command.arguments) {
      if (argument.positional) continue;
      lines += here;
      for (const std::string& name : argument.names) {
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!argument.choices.empty()) lines += fmt::format(" -x -a '{}'", joined(argument.choices));
      if (!argument.value.empty() && argument.choices.empty()) lines += is_number(argument) ? " -x" : " -r";
      lines += fmt::format(" -d {}\n", fish_text(argument.meaning));
    }
    const auto words = positional_choices(command);
    if (!words.empty()) lines += fmt::format("{} -f -a '{}'\n", here, joined(words));
  }
  return lines;
}

}  // namespace

void add_completion(CLI::App& program) {
  Command command(program, "completion", "Print a script that completes commands in a shell");
  command.footer(
      "Examples:\n"
      "  source <(locus completion bash)\n"
      "  locus completion fish > ~/.config/fish/completions/locus.fish");
  auto shell = std::make_shared<std::string>();
  command.option("SHELL", *shell, "The shell").required().one_of({"bash", "zsh", "fish"});
  command.callback([shell, &program] {
    const std::vector<Outline> commands = outlines(program);
    print(*shell == "bash" ? bash(commands) : *shell == "zsh" ? zsh(commands) : fish(commands));
  });
}

}  // namespace locus::cli
