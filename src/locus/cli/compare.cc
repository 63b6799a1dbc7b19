// locus compare: the same small model under every scheme, trained short and tested long, and the report.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "locus/base/file.h"
#include "locus/base/machine.h"
#include "locus/base/parallel.h"
#include "locus/base/settings.h"
#include "locus/cli/command.h"
#include "locus/cli/live_table.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/report/scheme_card.h"
#include "locus/report/study_page.h"

namespace locus::cli {
namespace {

struct Request {
  std::string study_file, out = "compare";
  std::string schemes, tasks, lengths, text;
  int64_t seeds = 0, steps = 0;
  bool full = false, json = false;
};

study::Study study_of(const Request& request) {
  study::Study study;
  if (!request.study_file.empty()) {
    const Settings settings = Settings::read(request.study_file);
    refuse(request.study_file, read_fields(study, settings.section("")));
  }
  if (request.full) {
    study.tasks = "all";
    study.seeds = 3;
    study.conditions.steps = 1000;
  }
  if (!request.schemes.empty()) study.schemes = request.schemes;
  if (!request.tasks.empty()) study.tasks = request.tasks;
  if (!request.lengths.empty()) study.conditions.lengths = request.lengths;
  if (!request.text.empty()) {
    study.text = request.text;
    if (request.tasks.empty()) study.tasks.clear();  // the user's text alone, unless more is asked for
  }
  if (request.seeds > 0) study.seeds = request.seeds;
  if (request.steps > 0) study.conditions.steps = request.steps;
  study::check(study);
  return study;
}

void write(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
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
  const study::Study study = study_of(request);
  const std::filesystem::path folder = request.out;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  LiveTable table(study, terminal);
  const StopSignals signals;
  const study::Watcher watcher = {
      .at_work =
          [&](const study::CellName& name, double part) {
            if (signals.asked()) throw Stopped{signals.signal()};  // finished cells are saved
            table.at_work(name, part);
          },
      .finished = [&](const study::Cell& cell, bool now) { table.finished(cell, now); }};
  const std::vector<study::Cell> cells = study::run(study, folder, watcher);
  table.close();
  const study::Summary summary = study::summarise(study, cells);
  const std::string results = study::results_json(study, summary);
  write(folder / "results.json", results);
  write(folder / "results.csv", study::results_csv(cells));
  write(folder / "report.html",
        report::study_page({study, summary, cards(study, folder),
                            fmt::format("locus compare --study {}", (folder / "study.toml").string()),
                            machine_in_words()}));
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
  CLI::App* const command = program.add_subcommand(
      "compare", "Train the same small model under every scheme, test it long, write a report");
  command->add_option("--schemes", request->schemes, "what is compared, by commas; all by default");
  command->add_option("--tasks", request->tasks, "what is asked, by commas, or all");
  command->add_option("--text", request->text, "a file: a language model of your own text");
  command->add_option("--lengths", request->lengths,
                      "tokens of the texts it is tested on, as 64,128,256,512");
  command->add_option("--seeds", request->seeds, "models trained for every task and scheme")
      ->check(CLI::Range(1, 1000));
  command->add_option("--steps", request->steps, "training steps of every cell")
      ->check(CLI::Range(1, 100000000));
  command->add_option("--study", request->study_file, "a TOML file with all of these and more");
  command->add_option("--out", request->out, "the folder of the study and its report")->capture_default_str();
  command->add_flag("--full", request->full, "every task, three seeds, longer training");
  command->add_flag("--json", request->json, "print the results as JSON");
  std::string tasks;
  for (const study::Task* task : study::tasks())
    tasks += fmt::format("  {:16} {}\n", task->name, task->summary);
  command->footer("Tasks:\n" + tasks +
                  "\nKilled and started again it goes on with the finished cells.\n\n"
                  "Example:\n  locus compare --schemes rotary,alibi,learned --tasks language --out study\n");
  command->callback([request] { compare(*request); });
}

}  // namespace locus::cli
