#include "locus/study/step_times.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "locus/base/file.h"
#include "locus/base/parse.h"
#include "locus/base/paths.h"
#include "locus/base/trim.h"

namespace locus::study {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kFile = "step_times.csv";
constexpr std::string_view kHeader = "scheme,seconds";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

StepTimes measured(const Study& study) {
  constexpr int kRounds = 5;
  constexpr double kLongEnough = 10;  // seconds; steps that take long repeat well
  Conditions few = study.conditions;
  few.steps = 3;  // the first one allocates memory; the time of a cell is that of a fast step
  few.lengths = fmt::format("{}", few.length);
  few.test_tokens = 1;
  const std::string task(study.task_list().front()->name);
  const Clock::time_point start = Clock::now();
  StepTimes times;
  for (int round = 0; round < kRounds && (round == 0 || seconds_since(start) < kLongEnough); ++round) {
    for (const SchemeChoice& choice : study.scheme_list()) {
      const std::string word = choice.word();
      double& least = times.try_emplace(word, std::numeric_limits<double>::infinity()).first->second;
      const Finished done = run_cell(few, study.task_named(task), {task, word, 1}, [](double) {});
      least = std::min(least, done.cell.step_seconds);
    }
  }
  return times;
}

StepTimes read(const std::filesystem::path& file) {
  StepTimes times;
  if (!is_there(file)) return times;
  const std::string text = read_file(file);
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != 2) continue;
    const auto seconds = parse<double>(cells[1]);
    const bool measured = seconds && *seconds >= kLeastStepSeconds && *seconds <= kMostStepSeconds;
    if (measured) times.emplace(cells[0], *seconds);
  }
  return times;
}

}  // namespace

StepTimes step_times(const Study& study, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  StepTimes times = read(file);
  const std::vector<SchemeChoice> list = study.scheme_list();
  const bool complete =
      std::ranges::all_of(list, [&](const SchemeChoice& choice) { return times.contains(choice.word()); });
  if (complete) return times;
  times = measured(study);
  std::string text = fmt::format("{}\n", kHeader);
  for (const auto& [word, seconds] : times) text += fmt::format("{},{}\n", word, seconds);
  write_file(file, text);
  return times;
}

void use_times(Summary& summary, const StepTimes& times) {
  for (Cost& cost : summary.costs) cost.step_seconds = times.at(cost.scheme);
}

}  // namespace locus::study
