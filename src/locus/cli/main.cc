// The program: reads the command line, runs one subcommand, turns errors into a line on stderr and an exit
// code (the numbers of locus::Fault).
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
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/base/version.h"
#include "locus/cli/command.h"
#include "locus/cli/list_words.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

constexpr void (*kCommands[])(CLI::App&) = {
    add_compare, add_explain, add_schemes,    add_show,       add_tokenize, add_windows,
    add_train,   add_eval,    add_embed,      add_similarity, add_classify, add_tag,
    add_fill,    add_answer,  add_generate,   add_translate,  add_forward,  add_inspect,
    add_stretch, add_doctor,  add_completion, add_manual};

void require_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::count(names, word) > 0) return;
  fail(Fault::usage, "unknown command {}{} (locus --help lists the commands)", quote(word),
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
    fail(Fault::usage, "'{}' stands before the command; expected locus {}{}", word, place, word);
  }
  fail(Fault::usage, "unexpected {}{} (locus {}--help lists the options)", quote(word),
       suggestion(word, candidates), place);
}

int run(int count, char** words) {
  CLI::App program("Locus: the position information of transformers.", "locus");
  program.set_version_flag("--version", fmt::format("locus {}", version()));
  program.footer(
      "Examples:\n"
      "  locus compare          every scheme in the same small model, and a report\n"
      "  locus explain          what tells the two 'it' of a sentence apart\n"
      "  locus schemes          the position schemes there are\n"
      "  locus show rotary      a picture of what one of them does\n"
      "  locus tokenize --help  text to token ids and back, and vocabularies learned from text\n"
      "  locus windows FILE     a text as the batches a model is trained on\n"
      "  locus train CONFIG     a model, from a configuration\n"
      "  locus eval DIR FILE    how good it is\n"
      "  locus generate DIR ..  what it writes; locus translate, of an encoder-decoder\n"
      "  locus embed DIR TEXT   a vector for a text, by a model folder from the hub\n"
      "  locus similarity, classify, tag, fill, answer DIR ..\n"
      "                         what else such a model, or a run, makes of texts\n"
      "  locus forward DIR --input x.json --out y.safetensors\n"
      "                         what a model folder from the hub computes\n"
      "  locus inspect DIR      what it is, and how long its input may be\n"
      "  locus doctor           what Locus found on this machine\n"
      "  locus doctor --help    the options of one command\n\n"
      "Exit codes: 0 fine, 1 a bug, 2 usage, 3 bad input data, 4 I/O, 5 out of memory or device,\n"
      "6 diverged, 7 a peer of a distributed run failed, 130 and 143 stopped by a signal after saving.");
  program.require_subcommand(0, 1);
  for (const auto add : kCommands) add(program);
  take_marks_off(program);
  if (count > 1 && words[1][0] != '-') require_command(program, words[1]);
  try {
    program.parse(marked_words(program, count, words));
    if (program.get_subcommands().empty()) {
      fail(Fault::usage, "a command is missing (locus --help lists the commands)");
    }
  } catch (const CLI::Success& asked) {  // --help, --version
    program.exit(asked);
  } catch (const CLI::ExtrasError&) {
    refuse_extra(program);
  } catch (const CLI::ParseError& error) {
    // What is missing may be there under a mistyped name.
    const bool extra = !program.remaining(true).empty() && program.remaining(true).front().starts_with("-");
    if (extra) refuse_extra(program);
    const auto used = program.get_subcommands();
    fail(Fault::usage, "{} (locus {}--help tells more)", error.what(),
         used.empty() ? "" : used.front()->get_name() + " ");
  }
  flush();
  return 0;
}

// What would end the process, or write into the wrong file, becomes an error of the write it belongs to.
void settle_streams() {
  std::signal(SIGPIPE, SIG_IGN);  // the reader has left
  std::signal(SIGXFSZ, SIG_IGN);  // the file may not grow
  // Where one of the first three descriptors is closed, the next file would take its place, and be written to
  // as stdout or stderr.
  int descriptor = 0;
  while ((descriptor = ::open("/dev/null", O_RDONLY)) >= 0 && descriptor <= STDERR_FILENO) {
  }
  if (descriptor >= 0) ::close(descriptor);
}

int report(Fault fault, std::string_view text) {
  note(text);
  return static_cast<int>(fault);
}

}  // namespace
}  // namespace locus::cli

int main(int count, char** words) {
  using locus::cli::report;
  locus::cli::settle_streams();
  try {
    return locus::cli::run(count, words);
  } catch (const locus::cli::Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const locus::Error& error) {
    return report(error.fault(), error.what());
  } catch (const std::bad_alloc&) {
    return report(locus::Fault::resource, "out of memory");
  } catch (const std::exception& error) {
    return report(locus::Fault::bug, fmt::format("a bug in Locus: {}", error.what()));
  } catch (...) {
    return report(locus::Fault::bug, "a bug in Locus: an exception of unknown kind");
  }
}
