// locus compare: trains the same small model with every scheme on short texts, tests it on longer ones, and
// writes a report.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "locus/base/file.h"
#include "locus/base/parallel.h"
#include "locus/base/paths.h"
#include "locus/cli/command.h"
#include "locus/cli/dist_options.h"
#include "locus/cli/live_table.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"
#include "locus/kernel/kernels.h"
#include "locus/report/study_files.h"
#include "locus/study/budget.h"
#include "locus/study/growth.h"
#include "locus/study/memory.h"
#include "locus/study/ranks.h"
#include "locus/study/verdict.h"
#include "locus/tensor/storage.h"

namespace locus::cli {
namespace {

struct CompareRequest {
  std::string study_file, out = "compare";
  std::string schemes, tasks, lengths, text, tokenizer, budget;
  int64_t length = 0, seeds = 0, steps = 0;
  bool full = false, json = false;
  Device device = Device::cpu;
  DistOptions dist;
};

// The options of the command line over the settings of `base`.
study::Study with_options(study::Study study, const CompareRequest& request) {
  if (request.full) {
    study.tasks = "all";
    study.seeds = 3;
    study.conditions.steps = 1000;
  }
  if (!request.schemes.empty()) study.schemes = request.schemes;
  if (!request.tasks.empty()) study.tasks = request.tasks;
  if (request.length > 0) study.conditions.length = request.length;
  if (!request.lengths.empty() || request.length > 0) study.conditions.lengths = request.lengths;
  if (!request.text.empty()) {
    study.text = absolute_path(request.text).string();
    if (request.tasks.empty()) study.tasks.clear();  // the text alone, unless tasks are given
  }
  if (!request.tokenizer.empty()) {
    study.tokenizer =
        is_there(request.tokenizer) ? absolute_path(request.tokenizer).string() : request.tokenizer;
  }
  if (request.seeds > 0) study.seeds = request.seeds;
  if (request.steps > 0) study.conditions.steps = request.steps;
  return study;
}

// In a folder with a study, settings that are not given are those of that study, and it grows. With a budget
// it keeps what the budget chose at its start.
study::Study study_of(const CompareRequest& request, const std::optional<study::Study>& existing) {
  study::Study base = existing.value_or(study::Study{});
  if (!request.study_file.empty()) base = study::read_study(request.study_file);
  study::Study study = with_options(base, request);
  if (existing && !request.budget.empty()) study = study::with_size_of(*existing, study);
  study::check(study);
  if (existing) study = study::grown(*existing, study, request.out);
  study.conditions.device = request.device;
  require_usable(request.device);
  study::require_memory(study, available_bytes(request.device));
  return study;
}

// The study that fits into the time.
study::Study within(const std::string& budget, const study::Study& study, int processes) {
  const study::Budgeted fit = study::within(study, study::budget_seconds("--budget", budget), processes);
  const auto in_words = [](const study::Study& one) {
    return fmt::format("{} task{}, {} seed{}, {} steps", one.task_list().size(),
                       one.task_list().size() == 1 ? "" : "s", one.seeds, one.seeds == 1 ? "" : "s",
                       one.conditions.steps);
  };
  const study::Study& chosen = fit.study;
  note(fmt::format(
      "budget {}: {}, expected to take {}; without --budget {}", budget, in_words(chosen),
      time_in_words(fit.seconds),
      chosen.cells().size() == study.cells().size() && chosen.conditions.steps == study.conditions.steps
          ? "the same"
          : fmt::format("{}, {}", in_words(study), time_in_words(fit.seconds_of_all))));
  return chosen;
}

std::string counted(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Reports before the first step what will be trained and tested.
void announce(const study::Study& study, const std::filesystem::path& folder) {
  const study::Work work = study::work_left(study, folder);
  if (work.to_train + work.to_test == 0) return;
  std::string text;
  if (work.found + work.to_test > 0) {
    text += fmt::format("{} has {}; ", folder.string(), counted(work.found + work.to_test, "trained model"));
  }
  if (work.to_test > 0) text += fmt::format("tests {} of them at more lengths, ", work.to_test);
  note(text + fmt::format("trains {} at {} tokens for {} steps, tests at {} tokens ({}, {}, {})",
                          counted(work.to_train, "model"), study.conditions.length, study.conditions.steps,
                          fmt::join(study.conditions.test_lengths(), ", "),
                          counted(std::ssize(study.scheme_list()), "scheme"),
                          counted(std::ssize(study.task_list()), "task"), counted(study.seeds, "seed")));
  const std::optional<study::TextFacts>& facts = study.task_list().front()->text;
  if (facts && !facts->exact) {
    note(
        fmt::format("tokenizer {} does not reproduce the text exactly: do not compare bits per byte with "
                    "other tokenizers",
                    study.tokenizer));
  }
}

// What the command prints after the study.
std::string result_of(const study::Study& study, const report::StudyFiles& files,
                      const CompareRequest& request) {
  if (request.json) return files.json;
  std::vector<std::string> sentences = study::verdict(files.summary).sentences;
  sentences.push_back(study::size_note(study));
  std::string text;
  for (const std::string& sentence : sentences) {
    for (const std::string& line : wrapped(sentence, std::min(terminal_width(), 100))) text += line + "\n";
  }
  return text + fmt::format("Report: {}\n", (std::filesystem::path(request.out) / "report.html").string());
}

// Rank 0, or the only process.
void lead(const CompareRequest& request, dist::Transport& ranks) {
  const std::filesystem::path folder = request.out;
  const std::optional<study::Study> existing = study::study_in(folder);
  const study::Study wanted = study_of(request, existing);
  if (!request.budget.empty())
    study::budget_seconds("--budget", request.budget);  // an error, also where it is not used
  const study::Study study =
      request.budget.empty() || existing ? wanted : within(request.budget, wanted, ranks.size());
  announce(study, folder);
  LiveTable table(study, isatty(STDERR_FILENO) != 0);
  const StopSignals signals;
  const study::Watcher watcher = {
      .progress = [&](const study::CellName& name, double fraction) { table.progress(name, fraction); },
      .finished = [&](const study::Cell& cell, bool trained) { table.finished(cell, trained); },
      .stop = [&] { return signals.signal(); }};
  const auto run = [&] {
    try {
      return study::run(study, folder, watcher, ranks);
    } catch (const dist::Stop&) {
      table.close();
      note("stopped; finished cells are saved, and the same command resumes");
      throw;
    }
  };
  const std::vector<study::Cell> cells = run();
  table.close();
  print(result_of(study, report::write_study_files(study, cells, folder), request));
}

// Another rank. Returns the number of a signal that stopped the study, or 0.
int help(const CompareRequest& request, dist::Transport& ranks) {
  const StopSignals signals;
  return study::help(ranks, request.device, [&] { return signals.signal(); });
}

void compare(const CompareRequest& request) {
  int stopped = 0;
  with_ranks(request.dist, [&](dist::Transport& ranks) {
    try {
      if (ranks.rank() == 0) {
        lead(request, ranks);
      } else {
        stopped = help(request, ranks);
      }
    } catch (const dist::Stop& stop) {
      stopped = stop.number;
    }
    if (stopped == 0) ranks.barrier();  // rank 0 has measured the times of steps on a quiet machine
  });
  if (stopped != 0) throw Stopped{stopped};
}

}  // namespace

void add_compare(CLI::App& program) {
  const auto request = std::make_shared<CompareRequest>();
  Command command(program, "compare",
                  "Train a small model with every scheme, test it on longer texts, write a report");
  command.option("--schemes", request->schemes,
                 "Schemes to compare, comma-separated; learned+t5 combines two, rotary:base=500000 sets an "
                 "option [all]");
  command.option("--tasks", request->tasks,
                 fmt::format("Tasks, comma-separated, or all [{}]", study::Study().tasks));
  command.option("--text", request->text, "A text file to train language models on");
  command.option(
      "--tokenizer", request->tokenizer,
      "Tokenizer of the text: bytes, a tokenizer's folder or .tiktoken file, or learn:N, which learns "
      "BPE of N tokens from the training part [bytes]");
  command
      .option("--length", request->length,
              fmt::format("Trained length in tokens [{}]", study::Study().conditions.length))
      .between(2, 1 << 20);
  command.option("--lengths", request->lengths,
                 "Test lengths in tokens, comma-separated, in addition to the trained length [2, 4 and 8 "
                 "times the trained length]");
  command
      .option("--seeds", request->seeds,
              fmt::format("Models trained per task and scheme [{}]", study::Study().seeds))
      .between(1, 1000);
  command
      .option("--steps", request->steps,
              fmt::format("Training steps per model; some tasks take 3 times as many [{}]",
                          study::Study().conditions.steps))
      .between(1, 100000000);
  command.option("--budget", request->budget,
                 "Time limit, such as 90s, 5m or 1.5h: reduces steps, seeds and tasks to fit");
  command.option("--study", request->study_file,
                 "A TOML file with all settings; options on the command line override it");
  command.option("--out", request->out, "Output folder of the study and its report").shows_default();
  command.flag("--full", request->full, "All tasks, 3 seeds, 1000 steps");
  command.flag("--json", request->json, "Print the results as JSON");
  add_device(command, request->device);
  add_dist_options(command, request->dist);
  std::string tasks;
  for (const study::Task* task : study::tasks()) {
    const std::string more = task->effort > 1 ? fmt::format(" ({} times the steps)", task->effort) : "";
    tasks += fmt::format("  {:16} {}: {}{}\n", task->name, task->title, task->summary, more);
  }
  command.footer(
      "Tasks:\n" + tasks +
      "\nAn interrupted study resumes with the same command. Schemes, tasks, seeds, test lengths and a "
      "text can be\nadded to a study: pass them with its --out folder. Finished cells are kept.\n\n"
      "Examples:\n"
      "  locus compare --budget 5m\n"
      "  locus compare --schemes rotary,alibi,learned --tasks language --out study\n"
      "  locus compare --schemes rotary:base=500000 --out study        # adds a scheme to it\n"
      "  locus compare --text book.txt --tokenizer learn:1000 --length 128 --budget 10m\n"
      "  mpirun -n 8 locus compare --full --out study                   # 8 processes share the cells\n");
  command.callback([request] { compare(*request); });
}

}  // namespace locus::cli
