// Trains the trainee in a folder: trainee DIR STEPS THREADS [kill|fail NUMBER]. The process is killed, or the
// disk fails, at file operation NUMBER. STEPS "9+" continues the run in the folder with this number of steps,
// "9+RUN" that in the folder RUN.
#include "tests/train/trainee.h"

#include <cstdio>
#include <cstdlib>

#include "locus/base/parallel.h"
#include "tests/file_faults.h"

int main(int count, char** words) {
  using namespace locus;
  if (count != 4 && count != 6) return 2;
  try {
    set_threads(std::atoi(words[3]));
    testing::Trainee trainee;
    RunFolder folder(words[1]);
    const std::string target = words[2], steps = target.substr(0, target.find('+'));
    Settings config;
    config.set("train.steps", steps);
    std::optional<Continuation> continuation;
    if (target != steps) {
      const std::filesystem::path run = target.substr(steps.size() + 1);
      continuation.emplace();
      if (!run.empty()) continuation = {.checkpoint = run / "last", .metrics = run / "metrics.jsonl"};
    }
    if (count == 6) testing::plan_fault(words[4], std::atol(words[5]));
    train({.objective = trainee,
           .parameters = trainee.parameters,
           .folder = folder,
           .settings = testing::trainee_settings(std::stol(steps)),
           .config = config,
           .files = {{"words.txt", "one\ntwo\n"}},
           .continuation = std::move(continuation),
           .hooks = {.note = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }}});
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.fault());
  }
  return 0;
}
