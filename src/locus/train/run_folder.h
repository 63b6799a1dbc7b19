// The folder of a training run. Whatever moment a run is killed at, the folder holds complete checkpoints
// only:
//
//   lock              held while a run is on; it ends with the process
//   metrics.jsonl     a line a step
//   steps/00000200/   a checkpoint: model.safetensors, optimizer.safetensors, state.toml, config.toml,
//                     what the caller adds (the tokenizer), and a manifest, written last
//   last -> steps/00000200, best -> steps/00000150
//
// A checkpoint is written under the name steps/00000200.part, synced, then renamed; then the links are
// turned, which is one rename each; only then are old ones removed, by renaming them to .part first. What a
// killed run leaves is a .part, and the next start removes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "locus/base/folder.h"
#include "locus/checkpoint/safetensors.h"

namespace locus {

// How far a run is. The order of samples is a function of seed and step: no other position in the data is
// needed.
struct RunState {
  int64_t step = 0;  // finished
  int64_t seed = 0;
  int64_t tokens = 0;         // seen so far
  int64_t metrics_bytes = 0;  // of metrics.jsonl at that step
  int64_t best_step = 0;      // 0: nothing was validated yet
  double best_loss = 0;

  template <class V>
  void fields(V& v) {
    constexpr double kMost = 9e15;  // exact as double
    v.integer("step", step, 0, kMost, "finished steps");
    v.integer("seed", seed, 0, kMost, "of everything random");
    v.integer("tokens", tokens, 0, kMost, "seen so far");
    v.integer("metrics_bytes", metrics_bytes, 0, kMost, "of metrics.jsonl at that step");
    v.integer("best_step", best_step, 0, kMost, "with the smallest loss in validation; 0: none yet");
    v.number("best_loss", best_loss, -1e300, 1e300, "that loss");
  }
};

struct Checkpoint {
  RunState state;
  std::vector<NamedTensor> model, optimizer;
  std::string config;                                      // TOML
  std::vector<std::pair<std::string, std::string>> files;  // name and contents
};

class RunFolder {
 public:
  // Made when it is not there. One that holds other things than a run: Fault::usage. Another run at work in
  // it: Fault::io.
  explicit RunFolder(const std::filesystem::path& path);

  // The newest checkpoint of which every bit is as it was saved, or none when there never was one. Newer
  // ones, damaged, are removed and named in `notes`. Only damaged ones: an error.
  std::optional<std::filesystem::path> newest(std::vector<std::string>& notes);

  // Saves, turns `last` (and `best`, when the state says that this is the best step), and keeps of the older
  // ones the newest and the best.
  void save(const Checkpoint& checkpoint);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }

 private:
  void turn_links(const RunState& state);
  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};

RunState read_state(const std::filesystem::path& checkpoint);

// The steps of which a run's folder has a checkpoint, newest first, and the folder of one.
std::vector<int64_t> saved_steps(const std::filesystem::path& run);
std::filesystem::path step_folder(const std::filesystem::path& run, int64_t step);

}  // namespace locus
