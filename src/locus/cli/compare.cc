// locus compare: trains the same small model with every scheme on short texts, tests it on longer ones, and
// writes a report.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>

#include "locus/base/file.h"
#include "locus/base/machine.h"
#include "locus/base/parallel.h"
#include "locus/base/parse.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/cli/command.h"
#include "locus/cli/live_table.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/report/scheme_card.h"
#include "locus/report/study_figures.h"
#include "locus/report/study_page.h"
#include "locus/study/budget.h"
#include "locus/study/memory.h"
#include "locus/study/verdict.h"

namespace locus::cli {
namespace {

struct Request {
  std::string study_file, out = "compare";
  std::string schemes, tasks, lengths, text, budget;
  int64_t length = 0, seeds = 0, steps = 0;
  bool full = false, json = false;
};

study::Study study_of(const Request& request) {
  study::Study study = request.study_file.empty() ? study::Study{} : study::read_study(request.study_file);
  if (request.full) {
    study.tasks = "all";
    study.seeds = 3;
    study.conditions.steps = 1000;
  }
  if (!request.schemes.empty()) study.schemes = request.schemes;
  if (!request.tasks.empty()) study.tasks = request.tasks;
  if (request.length > 0) study.conditions.length = request.length;
  if (!request.lengths.empty()) {
    study.conditions.lengths = request.lengths;
  } else if (request.length > 0) {  // 1, 2, 4 and 8 times the trained length, as by default
    study.conditions.lengths = fmt::format("{0}, {1}, {2}, {3}", request.length, 2 * request.length,
                                           4 * request.length, 8 * request.length);
  }
  if (!request.text.empty()) {
    study.text = absolute_path(request.text).string();
    if (request.tasks.empty()) study.tasks.clear();  // the text alone, unless tasks are given
  }
  if (request.seeds > 0) study.seeds = request.seeds;
  if (request.steps > 0) study.conditions.steps = request.steps;
  study::check(study);
  study::require_memory(study, memory().available);
  return study;
}

double seconds_of(const std::string& budget) {
  constexpr std::string_view kUnits = "smh";
  constexpr std::array kSeconds = {1.0, 60.0, 3600.0};
  const size_t unit = budget.empty() ? std::string_view::npos : kUnits.find(budget.back());
  const auto count = unit == std::string_view::npos
                         ? std::nullopt
                         : parse<double>(std::string_view(budget).substr(0, budget.size() - 1));
  if (!count || *count <= 0) {
    fail(Fault::usage, "bad time in --budget: got {}, expected a time such as 90s, 5m or 1.5h",
         quote(budget));
  }
  return *count * kSeconds[unit];
}

// The study that fits into the time. A resumed folder keeps its first choice.
study::Study within(const std::string& budget, study::Study study, const std::filesystem::path& folder) {
  constexpr double kCellShare = 0.95;  // the rest is for the report
  const auto start = std::chrono::steady_clock::now();
  const double seconds = seconds_of(budget);
  if (const std::optional<study::Study> existing = study::study_in(folder)) {
    study.tasks = existing->tasks;
    study.seeds = existing->seeds;
    study.conditions.steps = existing->conditions.steps;
    return study;
  }
  const std::vector<study::Pace> paces = study::paces(study, seconds);
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const study::Study chosen = study::fitted(study, paces, kCellShare * seconds - spent);
  const auto in_words = [](const study::Study& one) {
    return fmt::format("{} task{}, {} seed{}, {} steps", one.task_list().size(),
                       one.task_list().size() == 1 ? "" : "s", one.seeds, one.seeds == 1 ? "" : "s",
                       one.conditions.steps);
  };
  note(fmt::format(
      "budget {}: {}, expected to take {}; without --budget {}", budget, in_words(chosen),
      time_in_words(expected_seconds(chosen, paces)),
      chosen.cells().size() == study.cells().size() && chosen.conditions.steps == study.conditions.steps
          ? "the same"
          : fmt::format("{}, {}", in_words(study), time_in_words(expected_seconds(study, paces)))));
  return chosen;
}

std::vector<report::SchemeCard> cards(const study::Study& study, const std::filesystem::path& folder) {
  std::vector<report::SchemeCard> list;
  for (const SchemeInfo* info : study.scheme_list())
    list.push_back(report::scheme_card(study, folder, *info));
  return list;
}

std::string machine_in_words() {
  return fmt::format("{}, {} thread{}", cpu().model, threads(), threads() == 1 ? "" : "s");
}

void compare(const Request& request) {
  const std::filesystem::path folder = request.out;
  const study::Study wanted = study_of(request);
  const study::Study study = request.budget.empty() ? wanted : within(request.budget, wanted, folder);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  LiveTable table(study, terminal);
  const StopSignals signals;
  const study::Watcher watcher = {
      .progress =
          [&](const study::CellName& name, double fraction) {
            if (signals.requested()) {
              table.close();
              note("stopped; finished cells are saved, and the same command resumes");
              throw Stopped{signals.signal()};
            }
            table.progress(name, fraction);
          },
      .finished = [&](const study::Cell& cell, bool trained) { table.finished(cell, trained); }};
  const std::vector<study::Cell> cells = study::run(study, folder, watcher);
  table.close();
  const study::Summary summary = study::summarize(study, cells);
  const std::string results = study::results_json(study, summary);
  write_file(folder / "results.json", results);
  write_file(folder / "results.csv", study::results_csv(cells));
  write_file(folder / "report.html",
             report::study_page({study, summary, cards(study, folder), machine_in_words()}));
  write_file(folder / "length.svg", report::svg_file(report::summary_chart(summary)));
  if (request.json) return print(results);
  std::vector<std::string> sentences = study::verdict(summary).sentences;
  sentences.push_back(study::size_note(study));
  std::string text;
  for (const std::string& sentence : sentences) {
    for (const std::string& line : wrapped(sentence, std::min(terminal_width(), 100))) text += line + "\n";
  }
  print(text + fmt::format("Report: {}\n", (folder / "report.html").string()));
}

}  // namespace

void add_compare(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  Command command(program, "compare",
                  "Train a small model with every scheme, test it on longer texts, write a report");
  command.option("--schemes", request->schemes,
                 "Schemes to compare, comma-separated [all]; learned+t5 combines two");
  command.option("--tasks", request->tasks,
                 fmt::format("Tasks, comma-separated, or all [{}]", study::Study().tasks));
  command.option("--text", request->text, "A text file: train language models on its bytes");
  command
      .option("--length", request->length,
              fmt::format("Trained length: tokens of a training text [{}]", study::Study().conditions.length))
      .between(2, 1 << 20);
  command.option("--lengths", request->lengths,
                 "Test lengths in tokens, comma-separated [1, 2, 4 and 8 times the trained length]");
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
  std::string tasks;
  for (const study::Task* task : study::tasks()) {
    const std::string more = task->effort > 1 ? fmt::format(" ({} times the steps)", task->effort) : "";
    tasks += fmt::format("  {:16} {}: {}{}\n", task->name, task->title, task->summary, more);
  }
  command.footer("Tasks:\n" + tasks +
                 "\nAn interrupted study resumes with the same command.\n\n"
                 "Example:\n  locus compare --schemes rotary,alibi,learned --tasks language --out study\n");
  command.callback([request] { compare(*request); });
}

}  // namespace locus::cli
