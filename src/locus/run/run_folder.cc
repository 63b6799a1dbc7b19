#include "locus/run/run_folder.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/fields.h"
#include "locus/base/parse.h"
#include "locus/base/paths.h"
#include "locus/base/settings.h"
#include "locus/run/manifest.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSteps = "steps";
constexpr size_t kKept = 2;  // newest checkpoints that are kept, in addition to the best

std::string step_name(int64_t step) { return fmt::format("{:08}", step); }

// The step in the name of a complete checkpoint, or nothing.
std::optional<int64_t> step_of(const std::string& name) {
  const std::optional<int64_t> step = parse<int64_t>(name);
  return step && *step >= 0 && name == step_name(*step) ? step : std::nullopt;
}

std::string text_of(const RunState& state) {
  Settings settings;
  for (const Field& field : fields_of(state)) settings.set(field.spec.name, field.value);
  return settings.toml();
}

}  // namespace

RunState read_state(const fs::path& checkpoint) {
  const fs::path path = checkpoint / "state.toml";
  RunState state;
  const std::vector<std::string> problems = read_fields(state, Settings::read(path).section(""));
  require(problems.empty(), "'{}': {}", path.string(), fmt::join(problems, "; "));
  return state;
}

fs::path step_folder(const fs::path& run, int64_t step) { return run / kSteps / step_name(step); }

std::vector<int64_t> saved_steps(const fs::path& run) {
  std::vector<int64_t> found;
  if (!is_folder(run / kSteps)) return found;
  for (const fs::path& entry : entries_of(run / kSteps)) {
    if (const auto step = step_of(entry.filename())) found.push_back(*step);
  }
  std::ranges::sort(found, std::ranges::greater());
  return found;
}

namespace {

// Removes the checkpoints that are neither among the newest nor the best.
void discard_old(const fs::path& run, const RunState& state) {
  const std::vector<int64_t> saved = saved_steps(run);
  for (size_t i = kKept; i < saved.size(); ++i) {
    if (saved[i] != state.best_step) discard_folder(step_folder(run, saved[i]));
  }
}

}  // namespace

RunFolder::RunFolder(const fs::path& path) : path_(path) {
  const bool exists = take_folder(path_, kSteps);
  lock_.emplace(path_ / "lock");
  if (!exists) return;
  clear_debris(path_, {"last", "best", "hub", "tokenizer", "training.html", "metrics.jsonl"});
  clear_debris(path_ / kSteps);
}

std::optional<fs::path> RunFolder::newest(std::vector<std::string>& notes) {
  const std::vector<int64_t> saved = saved_steps(path_);
  std::vector<std::string> problems;
  for (const int64_t step : saved) {
    const fs::path folder = step_folder(path_, step);
    try {
      verify_manifest(folder);
      const int64_t saved_step = read_state(folder).step;
      require(saved_step == step, Code::damaged_file, "'{}': step is {}, expected {}",
              (folder / "state.toml").string(), saved_step, step);
    } catch (const Error& error) {
      if (error.fault() != Fault::data && error.fault() != Fault::io) throw;
      problems.push_back(fmt::format("the checkpoint of step {} is damaged: {}", step, error.what()));
      continue;
    }
    for (std::string& problem : problems) notes.push_back(problem + "; using an earlier checkpoint");
    for (const int64_t damaged : saved) {
      if (damaged > step) discard_folder(step_folder(path_, damaged));
    }
    const RunState state = read_state(folder);
    update_links(state);
    discard_old(path_, state);  // a killed process may have saved the newest one and not removed the old ones
    return folder;
  }
  if (problems.empty()) return std::nullopt;
  fail({Fault::data, Code::damaged_file, "remove the folder to start again"},
       "all checkpoints in '{}' are damaged: {}", path_.string(), problems.front());
}

void RunFolder::update_links(const RunState& state) {
  const auto target = [](int64_t step) { return step_folder("", step); };
  point_link(path_ / "last", target(state.step));
  if (state.best_step == 0) return remove_whole(path_ / "best");
  // The best checkpoint may have been damaged and removed.
  if (is_there(path_ / target(state.best_step))) {
    point_link(path_ / "best", target(state.best_step));
  } else {
    remove_whole(path_ / "best");
  }
}

void RunFolder::save(const Checkpoint& checkpoint) {
  const fs::path finished = step_folder(path_, checkpoint.state.step), folder = finished.string() + ".part";
  make_folder(folder);
  try {
    ManifestWriter writer(folder);
    writer.add("model.safetensors", sources_of(checkpoint.model));
    writer.add("optimizer.safetensors", checkpoint.optimizer);
    writer.add("state.toml", text_of(checkpoint.state));
    writer.add("config.toml", checkpoint.config);
    for (const auto& [file, contents] : checkpoint.files) writer.add(file, contents);
    writer.finish();
    publish_folder(folder, finished);
  } catch (...) {
    std::error_code ignored;  // report the first error, not this one
    fs::remove_all(folder, ignored);
    throw;
  }
  update_links(checkpoint.state);
  discard_old(path_, checkpoint.state);
}

}  // namespace locus
