#include "locus/train/planned_run.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/paths.h"
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
RunPlan within_memory(RunPlan plan, const dist::Transport* ranks) {
  const Device device = plan.train.device;
  check_memory(plan.task.blueprint,
               {.tokens = tokens_per_micro_batch(plan),
                .recompute = plan.task.data.recompute,
                .bf16 = plan.train.dtype == DType::bf16,
                .shards = plan.train.shards,
                .ranks = ranks == nullptr ? 1 : ranks->size()},
               available_bytes(device) + (on_host(device) ? allocated_bytes() : 0));
  return plan;
}

ModelObjectiveOptions objective_options(const RunPlan& plan, dist::Transport* ranks) {
  const DataSettings& data = plan.task.data;
  return {.batches = {.batch_size = data.batch_size,
                      .tokens = data.tokens_per_step,
                      .seed = static_cast<uint64_t>(plan.train.seed)},
          .label_smoothing = static_cast<float>(data.label_smoothing),
          .recompute = data.recompute,
          .bf16 = plan.train.dtype == DType::bf16,
          .ranks = ranks};
}

}  // namespace

PlannedRun::PlannedRun(RunPlan plan, const fs::path& out, std::optional<Continuation> continuation,
                       dist::Transport* ranks)
    : plan_(within_memory(std::move(plan), ranks)),
      ranks_(ranks),
      folder_(ranks == nullptr || ranks->rank() == 0 ? std::optional<RunFolder>(out) : std::nullopt),
      model_(initial_model(plan_)),
      continuation_(std::move(continuation)) {}

std::vector<std::pair<std::string, std::string>> PlannedRun::task_files() const {
  if (folder_) return files_of(plan_.task, folder_->path() / "tokenizer.part");
  std::string scratch = fs::temp_directory_path() / "locus-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) {
    fail(Fault::io, "cannot create the folder '{}': {}", scratch, std::strerror(errno));
  }
  auto files = files_of(plan_.task, fs::path(scratch) / "tokenizer");
  remove_whole(scratch);
  return files;
}

int64_t PlannedRun::train(TrainHooks hooks) {
  ModelObjective objective(model_, *plan_.training, plan_.validation.get(), objective_options(plan_, ranks_));
  return locus::train({.objective = objective,
                       .parameters = model_.parameters(),
                       .folder = folder_ ? &*folder_ : nullptr,
                       .settings = plan_.train,
                       .config = plan_.config,
                       .files = task_files(),
                       .free_settings = {"data.train", "data.validation", "data.tokenizer", kDeviceSetting},
                       .continuation = std::move(continuation_),
                       .hooks = std::move(hooks),
                       .ranks = ranks_});
}

std::optional<fs::path> PlannedRun::save_hub(const std::function<void(const std::string&)>& note) const {
  if (!plan_.exports) return std::nullopt;
  const SavedRun saved = load_run(folder_->path());
  for (const std::string& warning : saved.warnings) note(warning);
  try {
    return save_hub_folder(saved, folder_->path());
  } catch (const Error& error) {  // with another scheme, there may be no family for it
    if (error.code() != Code::unsupported_field) throw;
    note(fmt::format("no model folder is written: {}", error.what()));
    return std::nullopt;
  }
}

PlannedRun continue_run(ContinuedRun continued, const fs::path& place, const fs::path& out,
                        dist::Transport* ranks) {
  std::error_code unknown;
  const bool in_place = out.empty() || fs::equivalent(out, continued.run, unknown);
  if (in_place && !fs::equivalent(place, continued.run, unknown)) {
    fail({Fault::usage, Code::output_exists, "name a new folder"},
         "'{}' is a checkpoint, expected a run folder to train further in its own folder", place.string());
  }
  if (in_place) continued.continuation.checkpoint.clear();
  return PlannedRun(std::move(continued.plan), in_place ? place : out, std::move(continued.continuation),
                    ranks);
}

}  // namespace locus
