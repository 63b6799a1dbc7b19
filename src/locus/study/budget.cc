#include "locus/study/budget.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "locus/base/parse.h"
#include "locus/base/quote.h"

namespace locus::study {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kLeastShare = 0.5;  // of the steps: with fewer, the order of the schemes may change

// The test takes the time between the last two calls of progress.
Pace pace_of(const Study& study, const Task& task, const SchemeChoice& scheme) {
  constexpr int64_t kTimedSteps = 3, kTimedTokens = 512;
  Conditions quick = study.conditions;
  quick.steps = kTimedSteps;
  quick.test_tokens = std::min(quick.test_tokens, kTimedTokens);
  Clock::time_point trained, tested;
  const Finished done = run_cell(quick, task, {std::string(task.name), scheme.word(), 1},
                                 [&](double) { trained = std::exchange(tested, Clock::now()); });
  // Every length is tested on at least one text.
  double least = 0, most = 0;
  for (const int64_t length : quick.test_lengths()) {
    least += static_cast<double>(std::max(quick.test_tokens, length));
    most += static_cast<double>(std::max(study.conditions.test_tokens, length));
  }
  return {done.cell.step_seconds, std::chrono::duration<double>(tested - trained).count() * most / least};
}

double seconds_of(const std::vector<Pace>& paces, const std::vector<const Task*>& tasks, size_t count,
                  int64_t seeds, int64_t steps) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(steps * tasks[i]->effort) * paces[i].step + paces[i].test;
  }
  return static_cast<double>(seeds) * sum;
}

std::string names_of(const std::vector<const Task*>& tasks, size_t count, const Study& study) {
  std::vector<std::string_view> names;
  for (size_t i = study.text.empty() ? 0 : 1; i < count; ++i) names.push_back(tasks[i]->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<Pace> paces(const Study& study, double seconds) {
  const Clock::time_point start = Clock::now();
  std::vector<Pace> list;
  for (const Task* task : study.task_list()) {
    Pace& sum = list.emplace_back();
    for (const SchemeChoice& scheme : study.scheme_list()) {
      const Pace one = pace_of(study, *task, scheme);
      sum.step += one.step;
      sum.test += one.test;
      if (std::chrono::duration<double>(Clock::now() - start).count() < seconds) continue;
      fail(Fault::usage,
           "time budget too short to measure a few steps of every cell: got {:g} s; allow more time, or "
           "compare "
           "fewer schemes and tasks",
           seconds);
    }
  }
  return list;
}

double expected_seconds(const Study& study, const std::vector<Pace>& paces) {
  const std::vector<const Task*> tasks = study.task_list();
  return seconds_of(paces, tasks, tasks.size(), study.seeds, study.conditions.steps);
}

Study fitted(Study study, const std::vector<Pace>& paces, double seconds) {
  const std::vector<const Task*> tasks = study.task_list();
  const int64_t wanted = study.conditions.steps;
  const auto least = std::max<int64_t>(static_cast<int64_t>(kLeastShare * static_cast<double>(wanted)), 1);
  for (size_t count = tasks.size(); count > 0; --count) {
    for (int64_t seeds = study.seeds; seeds > 0; --seeds) {
      const double none = seconds_of(paces, tasks, count, seeds, 0);
      const double one = seconds_of(paces, tasks, count, seeds, 1) - none;
      const double room = (seconds - none) / std::max(one, 1e-9);  // a coarse clock may not have moved
      if (room < static_cast<double>(least)) continue;
      study.conditions.steps = room >= static_cast<double>(wanted) ? wanted : static_cast<int64_t>(room);
      study.seeds = seeds;
      study.tasks = names_of(tasks, count, study);
      return study;
    }
  }
  fail(Fault::usage,
       "time budget too short: {:.0f} s are left, expected about {:.0f} s for one seed of {} at {} steps; "
       "allow "
       "more time, or compare fewer schemes",
       std::max(seconds, 0.0), seconds_of(paces, tasks, 1, 1, least), tasks[0]->name, least);
}

double budget_seconds(std::string_view option, std::string_view text) {
  constexpr std::string_view kUnits = "smh";
  constexpr std::array kSeconds = {1.0, 60.0, 3600.0};
  const size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const auto count =
      unit == std::string_view::npos ? std::nullopt : parse<double>(text.substr(0, text.size() - 1));
  if (!count || *count <= 0) {
    fail(Fault::usage, "bad time in {}: got {}, expected a time such as 90s, 5m or 1.5h", option,
         quote(text));
  }
  return *count * kSeconds[unit];
}

Budgeted within(const Study& study, double seconds) {
  constexpr double kCellShare = 0.95;  // the rest is for the report
  const Clock::time_point start = Clock::now();
  const std::vector<Pace> measured = paces(study, seconds);
  const double spent = std::chrono::duration<double>(Clock::now() - start).count();
  const Study chosen = fitted(study, measured, kCellShare * seconds - spent);
  return {chosen, expected_seconds(chosen, measured), expected_seconds(study, measured)};
}

Study with_size_of(const Study& existing, Study study) {
  study.tasks = existing.tasks;
  study.seeds = existing.seeds;
  study.conditions.steps = existing.conditions.steps;
  return study;
}

}  // namespace locus::study
