// A subcommand of the program: one file each, listed in main.cc.
//
// CLI11 reads the command line, and it is all templates: to compile them takes longer than to compile a
// command. So a command says what it takes through these two classes, and command.cc compiles CLI11 for all
// of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace locus::cli {

// An option, or an argument, which has no dashes. Handles: what they stand for lives as long as the program.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& shows_default();             // in --help
  Option& between(int low, int high);  // its number, the ends included
  Option& one_of(const std::vector<std::string>& words);
  Option& ends_in(const std::vector<std::string>& endings);  // a file's name
  Option& repeated();  // of a list: one value each time, and as often as needed
  bool given() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  Command(CLI::App& program, const std::string& name, const std::string& summary);

  void footer(const std::string& text);                   // below the options in --help
  void footer(const std::function<std::string()>& text);  // one that only --help makes
  void flag(const std::string& name, bool& value, const std::string& meaning);
  // Where its value goes. A Value is a text, a number, a list of texts, or optional: those listed in
  // command.cc.
  template <typename Value>
  Option option(const std::string& name, Value& value, const std::string& meaning);
  // Who takes its value.
  template <typename Value>
  Option option_to(const std::string& name, const std::function<void(const Value&)>& take,
                   const std::string& meaning);
  void callback(const std::function<void()>& work);

 private:
  CLI::App* app_;
};

// Adds the subcommand to the program: its options, its help, and a callback that does the work. The callback
// throws locus::Error when it cannot, and prints to stdout only once nothing can go wrong any more; a command
// on many texts prints as it goes through them.
void add_answer(CLI::App& program);
void add_classify(CLI::App& program);
void add_compare(CLI::App& program);
void add_completion(CLI::App& program);
void add_doctor(CLI::App& program);
void add_embed(CLI::App& program);
void add_eval(CLI::App& program);
void add_explain(CLI::App& program);
void add_fill(CLI::App& program);
void add_forward(CLI::App& program);
void add_generate(CLI::App& program);
void add_inspect(CLI::App& program);
void add_manual(CLI::App& program);
void add_schemes(CLI::App& program);
void add_show(CLI::App& program);
void add_similarity(CLI::App& program);
void add_stretch(CLI::App& program);
void add_tag(CLI::App& program);
void add_tokenize(CLI::App& program);
void add_train(CLI::App& program);
void add_translate(CLI::App& program);
void add_windows(CLI::App& program);

}  // namespace locus::cli
