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

// The first tasks of a study with a number of seeds, as it grows with the steps.
struct Size {
  size_t tasks;
  int64_t seeds;
};

class Timetable {
 public:
  Timetable(const Study& study, const std::vector<Pace>& paces, int processes)
      : tasks_(study.task_list()),
        paces_(paces),
        schemes_(static_cast<double>(study.scheme_list().size())),
        processes_(processes) {}

  double seconds(Size size, int64_t steps) const {
    double sum = 0, longest = 0;
    for (size_t i = 0; i < size.tasks; ++i) {
      const double one = static_cast<double>(steps * tasks_[i]->effort) * paces_[i].step + paces_[i].test;
      sum += one;
      longest = std::max(longest, one / schemes_);
    }
    return static_cast<double>(size.seeds) * sum / processes_ + longest * (1 - 1 / processes_);
  }
  // The most steps up to `most` that fit, if `least` do.
  std::optional<int64_t> steps_within(double limit, Size size, int64_t least, int64_t most) const {
    if (seconds(size, least) > limit) return std::nullopt;
    while (least < most) {
      const int64_t middle = least + (most - least + 1) / 2;
      if (seconds(size, middle) <= limit) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
  }

 private:
  std::vector<const Task*> tasks_;
  const std::vector<Pace>& paces_;
  double schemes_, processes_;
};

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

double expected_seconds(const Study& study, const std::vector<Pace>& paces, int processes) {
  const Size all{study.task_list().size(), study.seeds};
  return Timetable(study, paces, processes).seconds(all, study.conditions.steps);
}

Study fitted(Study study, const std::vector<Pace>& paces, double seconds, int processes) {
  const std::vector<const Task*> tasks = study.task_list();
  const int64_t wanted = study.conditions.steps;
  const auto least = std::max<int64_t>(static_cast<int64_t>(kLeastShare * static_cast<double>(wanted)), 1);
  const Timetable timetable(study, paces, processes);
  for (size_t count = tasks.size(); count > 0; --count) {
    for (int64_t seeds = study.seeds; seeds > 0; --seeds) {
      const auto steps = timetable.steps_within(seconds, {count, seeds}, least, wanted);
      if (!steps) continue;
      study.conditions.steps = *steps;
      study.seeds = seeds;
      study.tasks = names_of(tasks, count, study);
      return study;
    }
  }
  fail(Fault::usage,
       "time budget too short: {:.0f} s are left, expected about {:.0f} s for one seed of {} at {} steps; "
       "allow "
       "more time, or compare fewer schemes",
       std::max(seconds, 0.0), timetable.seconds({1, 1}, least), tasks[0]->name, least);
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

Budgeted within(const Study& study, double seconds, int processes) {
  constexpr double kCellShare = 0.95;  // the rest is for the report
  const Clock::time_point start = Clock::now();
  const std::vector<Pace> measured = paces(study, seconds);
  const double spent = std::chrono::duration<double>(Clock::now() - start).count();
  const Study chosen = fitted(study, measured, kCellShare * seconds - spent, processes);
  return {chosen, expected_seconds(chosen, measured, processes),
          expected_seconds(study, measured, processes)};
}

Study with_size_of(const Study& existing, Study study) {
  study.tasks = existing.tasks;
  study.seeds = existing.seeds;
  study.conditions.steps = existing.conditions.steps;
  return study;
}

}  // namespace locus::study
