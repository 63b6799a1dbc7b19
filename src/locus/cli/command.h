// A subcommand of the program. Each has its own file and is listed in main.cc.
//
// CLI11 parses the command line. Its templates take longer to compile than a whole command, so commands
// declare their options through these two classes, and only command.cc includes CLI11.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace locus::cli {

// An option, or a positional argument. This is a handle: the program owns the option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& shows_default();             // print the default value in --help
  Option& between(int low, int high);  // inclusive limits of a number
  Option& one_of(const std::vector<std::string>& words);
  Option& ends_in(const std::vector<std::string>& endings);  // file name extensions
  Option& repeated();                                        // a list: one value per use, any number of uses
  bool given() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  Command(CLI::App& program, const std::string& name, const std::string& summary);

  void footer(const std::string& text);                   // printed below the options in --help
  void footer(const std::function<std::string()>& text);  // computed only when --help is printed
  void flag(const std::string& name, bool& value, const std::string& meaning);
  // Stores the option's value in `value`. command.cc lists the supported types.
  template <typename Value>
  Option option(const std::string& name, Value& value, const std::string& meaning);
  // Passes the option's value to `take`.
  template <typename Value>
  Option option_to(const std::string& name, const std::function<void(const Value&)>& take,
                   const std::string& meaning);
  void callback(const std::function<void()>& work);

 private:
  CLI::App* app_;
};

// Each function adds a subcommand to the program: its options, its help, and a callback that does the work.
// The callback throws locus::Error on failure. It prints to stdout only after everything succeeded; a command
// that processes many texts prints the results of each chunk.
void add_answer(CLI::App& program);
void add_classify(CLI::App& program);
void add_compare(CLI::App& program);
void add_completion(CLI::App& program);
void add_doctor(CLI::App& program);
void add_embed(CLI::App& program);
void add_eval(CLI::App& program);
void add_explain(CLI::App& program);
void add_export(CLI::App& program);
void add_fill(CLI::App& program);
void add_forward(CLI::App& program);
void add_generate(CLI::App& program);
void add_inspect(CLI::App& program);
void add_manual(CLI::App& program);
void add_schemes(CLI::App& program);
void add_serve(CLI::App& program);
void add_show(CLI::App& program);
void add_similarity(CLI::App& program);
void add_stretch(CLI::App& program);
void add_tag(CLI::App& program);
void add_tokenize(CLI::App& program);
void add_train(CLI::App& program);
void add_translate(CLI::App& program);
void add_windows(CLI::App& program);

}  // namespace locus::cli
