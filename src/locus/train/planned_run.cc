#include "locus/train/planned_run.h"

#include <utility>

#include "locus/base/error.h"
#include "locus/run/saved_run.h"
#include "locus/tensor/storage.h"
#include "locus/train/export_run.h"
#include "locus/train/memory_need.h"
#include "locus/train/model_objective.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// A pretrained model is already in the memory of the host, and the estimate counts it: it is added to the
// free memory there.
RunPlan within_memory(RunPlan plan) {
  const Device device = plan.train.device;
  check_memory(plan.task.blueprint,
               {.tokens = tokens_per_micro_batch(plan),
                .recompute = plan.task.data.recompute,
                .shards = plan.train.shards},
               available_bytes(device) + (on_host(device) ? allocated_bytes() : 0));
  return plan;
}

ModelObjectiveOptions objective_options(const RunPlan& plan) {
  const DataSettings& data = plan.task.data;
  return {.batches = {.batch_size = data.batch_size,
                      .tokens = data.tokens_per_step,
                      .seed = static_cast<uint64_t>(plan.train.seed)},
          .label_smoothing = static_cast<float>(data.label_smoothing),
          .recompute = data.recompute};
}

}  // namespace

PlannedRun::PlannedRun(RunPlan plan, const fs::path& out, std::optional<Continuation> continuation)
    : plan_(within_memory(std::move(plan))),
      folder_(out),
      model_(initial_model(plan_)),
      continuation_(std::move(continuation)) {}

int64_t PlannedRun::train(TrainHooks hooks) {
  ModelObjective objective(model_, *plan_.training, plan_.validation.get(), objective_options(plan_));
  return locus::train({.objective = objective,
                       .parameters = model_.parameters(),
                       .folder = folder_,
                       .settings = plan_.train,
                       .config = plan_.config,
                       .files = files_of(plan_.task, folder_.path() / "tokenizer.part"),
                       .free_settings = {"data.train", "data.validation", "data.tokenizer", kDeviceSetting},
                       .continuation = std::move(continuation_),
                       .hooks = std::move(hooks)});
}

std::optional<fs::path> PlannedRun::save_hub(const std::function<void(const std::string&)>& note) const {
  if (!plan_.exports) return std::nullopt;
  const SavedRun saved = load_run(folder_.path());
  for (const std::string& warning : saved.warnings) note(warning);
  try {
    return save_hub_folder(saved, folder_.path());
  } catch (const Error& error) {  // with another scheme, there may be no family for it
    if (error.code() != Code::unsupported_field) throw;
    note(fmt::format("no model folder is written: {}", error.what()));
    return std::nullopt;
  }
}

PlannedRun continue_run(ContinuedRun continued, const fs::path& place, const fs::path& out) {
  std::error_code unknown;
  const bool in_place = out.empty() || fs::equivalent(out, continued.run, unknown);
  if (in_place && !fs::equivalent(place, continued.run, unknown)) {
    fail({Fault::usage, Code::output_exists, "name a new folder"},
         "'{}' is a checkpoint, expected a run folder to train further in its own folder", place.string());
  }
  if (in_place) continued.continuation.checkpoint.clear();
  return PlannedRun(std::move(continued.plan), in_place ? place : out, std::move(continued.continuation));
}

}  // namespace locus
