// The folder of a training run. It contains only complete checkpoints, whenever the run is killed:
//
//   lock              held while a run is active; the operating system releases it with the process
//   metrics.jsonl     one line per step
//   steps/00000200/   a checkpoint: model.safetensors, optimizer.safetensors, state.toml, config.toml,
//                     the caller's files (the tokenizer), and a manifest, written last
//   last -> steps/00000200, best -> steps/00000150
//
// A checkpoint is written as steps/00000200.part, synced and renamed. Then the links are updated, one rename
// each. Old checkpoints are removed last, and are renamed to .part first. A killed run leaves at most .part
// folders, which the next start removes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "locus/base/folder.h"
#include "locus/checkpoint/safetensors.h"

namespace locus {

// The progress of a run. The order of samples is a function of seed and step, so no position in the data is
// stored.
struct RunState {
  int64_t step = 0;  // finished steps
  int64_t seed = 0;
  int64_t tokens = 0;         // processed so far
  int64_t metrics_bytes = 0;  // size of metrics.jsonl at that step
  int64_t best_step = 0;      // 0: no validation yet
  double best_loss = 0;

  template <class V>
  void fields(V& v) {
    constexpr double kMost = 9e15;  // exact as double
    v.integer("step", step, 0, kMost, "number of finished steps");
    v.integer("seed", seed, 0, kMost, "seed of all random numbers");
    v.integer("tokens", tokens, 0, kMost, "tokens processed so far");
    v.integer("metrics_bytes", metrics_bytes, 0, kMost, "size of metrics.jsonl in bytes at that step");
    v.integer("best_step", best_step, 0, kMost,
              "step with the smallest validation loss; 0: no validation yet");
    v.number("best_loss", best_loss, -1e300, 1e300, "smallest validation loss");
  }
};

struct Checkpoint {
  RunState state;
  std::vector<NamedTensor> model;
  std::vector<TensorSource> optimizer;
  std::string config;                                      // TOML
  std::vector<std::pair<std::string, std::string>> files;  // name and contents
};

class RunFolder {
 public:
  // Creates the folder if it does not exist. Throws Fault::usage if it contains something other than a run,
  // and Fault::io if another process is training in it.
  explicit RunFolder(const std::filesystem::path& path);

  // The newest checkpoint that is not damaged, or nothing if the run has no checkpoint. Newer, damaged ones
  // are removed and named in `notes`. Throws if all checkpoints are damaged.
  std::optional<std::filesystem::path> newest(std::vector<std::string>& notes);

  // Saves a checkpoint and points `last` at it, and `best` too if this is the best step. Of the older
  // checkpoints, only the newest and the best are kept.
  void save(const Checkpoint& checkpoint);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }

 private:
  void update_links(const RunState& state);
  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};

RunState read_state(const std::filesystem::path& checkpoint);

// The steps that have a checkpoint in a run folder, newest first; and the folder of one checkpoint.
std::vector<int64_t> saved_steps(const std::filesystem::path& run);
std::filesystem::path step_folder(const std::filesystem::path& run, int64_t step);

}  // namespace locus
