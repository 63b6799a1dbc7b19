// A subcommand of the program: one file each, listed in main.cc.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace locus::cli {

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
