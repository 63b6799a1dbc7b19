// locus compare: the same small model under every scheme, trained short and tested long, and the report.
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
#include "locus/report/study_page.h"
#include "locus/study/budget.h"
#include "locus/study/memory.h"

namespace locus::cli {
namespace {

struct Request {
  std::string study_file, out = "compare";
  std::string schemes, tasks, lengths, text, budget;
  int64_t seeds = 0, steps = 0;
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
  if (!request.lengths.empty()) study.conditions.lengths = request.lengths;
  if (!request.text.empty()) {
    study.text = absolute_path(request.text).string();
    if (request.tasks.empty()) study.tasks.clear();  // the user's text alone, unless more is asked for
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
    fail(Fault::usage, "--budget is {}, expected a time such as 90s, 5m or 1.5h", quote(budget));
  }
  return *count * kSeconds[unit];
}

// What fits into the time; a folder that was begun keeps what was chosen then.
study::Study within(const std::string& budget, study::Study study, const std::filesystem::path& folder) {
  constexpr double kForCells = 0.95;  // the rest is for the report
  const auto start = std::chrono::steady_clock::now();
  const double seconds = seconds_of(budget);
  if (const std::optional<study::Study> begun = study::study_in(folder)) {
    study.tasks = begun->tasks;
    study.seeds = begun->seeds;
    study.conditions.steps = begun->conditions.steps;
    return study;
  }
  const std::vector<study::Pace> paces = study::paces(study, seconds);
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const study::Study chosen = study::fitted(study, paces, kForCells * seconds - spent);
  const auto in_words = [](const study::Study& one) {
    return fmt::format("{} task{}, {} seed{}, {} steps", one.task_list().size(),
                       one.task_list().size() == 1 ? "" : "s", one.seeds, one.seeds == 1 ? "" : "s",
                       one.conditions.steps);
  };
  note(fmt::format(
      "{} in {} of {}; without --budget {}", in_words(chosen), time_in_words(expected_seconds(chosen, paces)),
      budget,
      chosen.cells().size() == study.cells().size() && chosen.conditions.steps == study.conditions.steps
          ? "the same"
          : fmt::format("{} in {}", in_words(study), time_in_words(expected_seconds(study, paces)))));
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
  const study::Study asked = study_of(request);
  const study::Study study = request.budget.empty() ? asked : within(request.budget, asked, folder);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  LiveTable table(study, terminal);
  const StopSignals signals;
  const study::Watcher watcher = {
      .at_work =
          [&](const study::CellName& name, double part) {
            if (signals.requested()) {
              table.close();
              note("stopped; what is finished is saved, and the same command goes on from there");
              throw Stopped{signals.signal()};
            }
            table.at_work(name, part);
          },
      .finished = [&](const study::Cell& cell, bool now) { table.finished(cell, now); }};
  const std::vector<study::Cell> cells = study::run(study, folder, watcher);
  table.close();
  const study::Summary summary = study::summarise(study, cells);
  const std::string results = study::results_json(study, summary);
  write_file(folder / "results.json", results);
  write_file(folder / "results.csv", study::results_csv(cells));
  write_file(folder / "report.html",
             report::study_page({study, summary, cards(study, folder), machine_in_words()}));
  if (request.json) return print(results);
  std::string text;
  for (const std::string& sentence : study::findings(summary)) {
    for (const std::string& line : wrapped(sentence, std::min(terminal_width(), 100))) text += line + "\n";
    text += "\n";
  }
  print(text + fmt::format("The report: {}\n", (folder / "report.html").string()));
}

}  // namespace

void add_compare(CLI::App& program) {
  const auto request = std::make_shared<Request>();
  Command command(program, "compare",
                  "Train the same small model under every scheme, test it long, write a report");
  command.option("--schemes", request->schemes,
                 "What is compared, by commas [all]; several at once as learned+t5");
  command.option("--tasks", request->tasks,
                 fmt::format("What is asked, by commas, or all [{}]", study::Study().tasks));
  command.option("--text", request->text, "A file: a language model of your own text");
  command.option("--lengths", request->lengths,
                 fmt::format("Tokens of the texts it is tested on [{}]", study::Study().conditions.lengths));
  command
      .option("--seeds", request->seeds,
              fmt::format("Models trained for every task and scheme [{}]", study::Study().seeds))
      .between(1, 1000);
  command
      .option("--steps", request->steps,
              fmt::format("Training steps of every cell, more for some tasks [{}]",
                          study::Study().conditions.steps))
      .between(1, 100000000);
  command.option("--budget", request->budget,
                 "A time, as 90s, 5m or 1.5h: fewer steps, seeds and tasks, so that it fits");
  command.option("--study", request->study_file, "A TOML file with all of these and more");
  command.option("--out", request->out, "The folder of the study and its report").shows_default();
  command.flag("--full", request->full, "Every task, three seeds, longer training");
  command.flag("--json", request->json, "Print the results as JSON");
  std::string tasks;
  for (const study::Task* task : study::tasks()) {
    const std::string more = task->effort > 1 ? fmt::format("; {} times the steps", task->effort) : "";
    tasks += fmt::format("  {:16} {}{}\n", task->name, task->summary, more);
  }
  command.footer("Tasks:\n" + tasks +
                 "\nKilled and started again it goes on with the finished cells.\n\n"
                 "Example:\n  locus compare --schemes rotary,alibi,learned --tasks language --out study\n");
  command.callback([request] { compare(*request); });
}

}  // namespace locus::cli
