// A training run from its plan to its last step: what `locus train` and the Python module do.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "locus/nn/model.h"
#include "locus/train/continue_run.h"
#include "locus/train/run_plan.h"
#include "locus/train/trainer.h"

namespace locus {

class PlannedRun {
 public:
  // Throws Fault::resource if the plan needs more memory than there is. Locks the run folder `out` and builds
  // the model. `ranks` are the processes that train together: each plans the same run, and only rank 0 has
  // the folder.
  PlannedRun(RunPlan plan, const std::filesystem::path& out,
             std::optional<Continuation> continuation = std::nullopt, dist::Transport* ranks = nullptr);

  const RunPlan& plan() const { return plan_; }
  const Model& model() const { return model_; }
  const RunFolder& folder() const { return folder_.value(); }  // of rank 0

  // Trains to the last step, or until hooks.stop() returns true. Returns the step it reached. Call it once.
  int64_t train(TrainHooks hooks);
  // Writes the folder `hub` if the run started from a model folder. No folder is returned if it did not, or
  // if no family can represent the model; then `note` gets the reason, and warnings before.
  std::optional<std::filesystem::path> save_hub(const std::function<void(const std::string&)>& note) const;

 private:
  std::vector<std::pair<std::string, std::string>> task_files() const;
  RunPlan plan_;
  dist::Transport* ranks_;
  std::optional<RunFolder> folder_;
  Model model_;
  std::optional<Continuation> continuation_;
};

// A run that plan_continued() planned: in its own folder if `out` is empty or names that folder, else in a
// new one. `place` is the run or the checkpoint that was continued.
PlannedRun continue_run(ContinuedRun continued, const std::filesystem::path& place,
                        const std::filesystem::path& out, dist::Transport* ranks = nullptr);

}  // namespace locus
