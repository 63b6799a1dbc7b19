// Trains what a TOML file describes, or resumes it, and evaluates the result: train_run CONFIG OUT DATA
#include <fmt/core.h>

#include "locus/locus.h"

using namespace locus;

namespace {

// Returns the step that the run reached.
int64_t run(const std::filesystem::path& config, const std::filesystem::path& out) {
  PlannedRun run(plan_run(Settings::read(config), config.parent_path()), out);
  return run.train({.progress = [](const TrainProgress& progress) {
    if (progress.last.step % 10 > 0) return;
    fmt::print(stderr, "step {}: loss {:.3f}\n", progress.last.step, progress.last.loss);
  }});
}

}  // namespace

int main(int count, char** words) try {
  if (count < 4) return 2;
  const int64_t step = run(words[1], words[2]);
  const Evaluation evaluation = evaluate(TrainedModel(words[2]), words[3]);
  fmt::print("step {}, {} {:.4f}\n", step, evaluation.numbers[0].first, evaluation.numbers[0].second);
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "train_run: {}\n", error.what());
  return static_cast<int>(error.fault());
}
