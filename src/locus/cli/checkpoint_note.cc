#include "locus/cli/checkpoint_note.h"

#include <fmt/format.h>

#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

// A checkpoint stores the loss of the best step only.
bool has_loss(const RunState& state) { return state.best_step > 0 && state.best_step == state.step; }

void note_checkpoint(const TrainedModel& trained) {
  const RunState* state = trained.state();
  if (state == nullptr || trained.checkpoint() == trained.folder()) return;
  const std::string name = trained.checkpoint().filename().string();
  const bool linked = name == "best" || name == "last";
  std::string text = fmt::format("using the {}checkpoint of '{}': step {}", linked ? name + " " : "",
                                 trained.folder().string(), state->step);
  if (has_loss(*state)) text += fmt::format(", validation loss {:.4f}", state->best_loss);
  const std::vector<int64_t> saved = saved_steps(trained.folder());  // newest first
  if (!saved.empty() && saved.front() > state->step) {
    text += fmt::format("; the last checkpoint is step {}", saved.front());
  }
  note(text);
}

}  // namespace

void note_model(const TrainedModel& trained) {
  warn(trained.warnings());
  note_checkpoint(trained);
}

void note_model(const Writer& writer) {
  warn(writer.warnings());
  note_checkpoint(writer.model().trained());
}

json::Members checkpoint_members(const TrainedModel& trained) {
  json::Members members = {{"checkpoint", json::text(trained.checkpoint().string())}};
  const RunState* state = trained.state();
  if (state == nullptr) return members;
  members.emplace_back("step", json::number(state->step));
  if (has_loss(*state)) members.emplace_back("validation_loss", json::number(state->best_loss));
  return members;
}

}  // namespace locus::cli
