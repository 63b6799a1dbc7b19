// The program: parses the command line, runs one subcommand, and turns an error into one line on stderr and
// an exit code (the numbers of locus::Fault).
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <csignal>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/base/version.h"
#include "locus/cli/command.h"
#include "locus/cli/help_format.h"
#include "locus/cli/list_words.h"
#include "locus/cli/option_hints.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

constexpr void (*kCommands[])(CLI::App&) = {
    add_compare, add_explain, add_schemes,  add_show,       add_tokenize,   add_windows,
    add_train,   add_eval,    add_embed,    add_similarity, add_classify,   add_tag,
    add_fill,    add_answer,  add_generate, add_translate,  add_serve,      add_forward,
    add_inspect, add_stretch, add_export,   add_doctor,     add_completion, add_manual};

void require_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::count(names, word) > 0) return;
  fail(Fault::usage, "unknown command {}{}; `locus --help` lists the commands", quote(word),
       suggestion(word, names));
}

[[noreturn]] void refuse_extra(const CLI::App& program) {
  const auto used = program.get_subcommands();
  const CLI::App& command = used.empty() ? program : *used.front();
  const std::string word = program.remaining(true).front();
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) options.push_back(option->get_name());
  const std::vector<std::string_view> candidates(options.begin(), options.end());
  const std::string place = used.empty() ? "" : command.get_name() + " ";
  if (std::ranges::count(options, word) > 0) {
    fail(Fault::usage, "option '{}' must follow the command: locus {}{}", word, place, word);
  }
  fail(Fault::usage, "unknown option or extra argument {}{}; `locus {}--help` lists the options", quote(word),
       suggestion(word, candidates), place);
}

// `locus help` is locus --help, `locus help train` is locus train --help, and `locus version` is locus
// --version.
std::vector<std::string> with_help_and_version(int count, char** words) {
  std::vector<std::string> result(words + 1, words + count);
  if (result.empty()) return result;
  if (result.front() == "help") {
    result.erase(result.begin());
    result.resize(std::min<size_t>(result.size(), 1));
    result.emplace_back("--help");
  } else if (result.front() == "version") {
    result.front() = "--version";
  }
  return result;
}

int run(int count, char** given) {
  const std::vector<std::string> words = with_help_and_version(count, given);
  CLI::App program("Locus: positional encodings of transformers, compared, trained and applied.", "locus");
  program.formatter(help_format());
  program.set_version_flag("-v,--version", fmt::format("locus {}", version()));
  program.footer(
      "Examples:\n"
      "  locus compare             train a small model with every scheme and write a report\n"
      "  locus explain             show how a model distinguishes two occurrences of a word\n"
      "  locus schemes             list the position schemes\n"
      "  locus show rotary         draw what a scheme does\n"
      "  locus train CONFIG        train a model from a configuration file\n"
      "  locus eval DIR FILE       measure a trained model on a file\n"
      "  locus embed DIR TEXT      compute embeddings with a Hugging Face model folder\n"
      "  locus generate DIR TEXT   continue a prompt\n"
      "  locus serve DIR           answer HTTP requests with a model\n"
      "  locus inspect DIR         describe a model and its maximum input length\n"
      "  locus export RUN DIR      write a trained model as a Hugging Face model folder\n"
      "  locus help COMMAND        list the options of a command\n\n"
      "Exit codes: 0 success, 1 bug in Locus, 2 wrong usage, 3 invalid input data, 4 file or I/O error,\n"
      "5 out of memory or device, 6 training diverged, 7 another process of the job failed,\n"
      "130 or 143 stopped by a signal after saving.");
  program.require_subcommand(0, 1);
  for (const auto add : kCommands) add(program);
  remove_markers(program);
  if (!words.empty() && !words.front().starts_with('-')) require_command(program, words.front());
  try {
    program.parse(marked_words(program, words));
    if (program.get_subcommands().empty()) {
      fail(Fault::usage, "no command given; `locus --help` lists the commands");
    }
  } catch (const CLI::Success& request) {  // --help, --version
    program.exit(request);
  } catch (const Error& error) {
    const auto used = program.get_subcommands();
    if (used.empty()) throw;
    const auto has = [&](std::string_view name) {
      return used.front()->get_option_no_throw(std::string(name)) != nullptr;
    };
    throw with_option_hints(error, has);
  } catch (const CLI::ExtrasError&) {
    refuse_extra(program);
  } catch (const CLI::ParseError& error) {
    // A missing option may have been given under a misspelled name: report the misspelling instead.
    const bool extra = !program.remaining(true).empty() && program.remaining(true).front().starts_with("-");
    if (extra) refuse_extra(program);
    const auto used = program.get_subcommands();
    fail(Fault::usage, "{}; see `locus {}--help`", error.what(),
         used.empty() ? "" : used.front()->get_name() + " ");
  }
  flush();
  return 0;
}

// Turns signals that would end the process into errors of the failed write, and reserves closed standard
// streams so that no output file takes their place.
void settle_streams() {
  std::signal(SIGPIPE, SIG_IGN);  // the reader of a pipe closed it
  std::signal(SIGXFSZ, SIG_IGN);  // a file reached its size limit
  // If one of the first three descriptors is closed, the next opened file would become stdout or stderr.
  int descriptor = 0;
  while ((descriptor = ::open("/dev/null", O_RDONLY)) >= 0 && descriptor <= STDERR_FILENO) {
  }
  if (descriptor >= 0) ::close(descriptor);
}

// The hint follows a list of problems on its own line.
std::string text_of(const Error& error) {
  const bool list = !error.hint().empty() && error.message().find('\n') != std::string::npos;
  return list ? error.message() + "\n" + error.hint() : error.what();
}

int report(Fault fault, std::string_view text) {
  complain(text);
  return static_cast<int>(fault);
}

}  // namespace
}  // namespace locus::cli

int main(int count, char** words) {
  using locus::cli::report;
  using locus::cli::text_of;
  locus::cli::settle_streams();
  locus::keep_workers_off_caller(true);
  try {
    return locus::cli::run(count, words);
  } catch (const locus::cli::Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const locus::Error& error) {
    return report(error.fault(), text_of(error));
  } catch (const std::bad_alloc&) {
    return report(locus::Fault::resource, "out of memory");
  } catch (const std::exception& error) {
    return report(locus::Fault::bug, fmt::format("bug in Locus: {}", error.what()));
  } catch (...) {
    return report(locus::Fault::bug, "bug in Locus: unknown exception");
  }
}
