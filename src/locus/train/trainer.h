// Training: optimizer steps on an objective, with checkpoints in a run folder. An interrupted run resumes
// where it stopped.
//
// A step accumulates the gradients of its micro-batches, weighted by their number of predictions. So the loss
// is the same mean for any number of micro-batches. Then it clips the gradient and updates the parameters.
// With shards, the samples of a step are first divided into that number of shards, each with its own
// micro-batches, and the gradients of shards are added in a fixed tree (shard_gradients.h). Several processes
// can share the shards (rank_exchange.h).
// All randomness is a function of seed and step: an interrupted and resumed run ends with the same bits as an
// uninterrupted one, for any number of threads.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "locus/base/settings.h"
#include "locus/dist/transport.h"
#include "locus/run/run_folder.h"
#include "locus/train/objective.h"
#include "locus/train/optimizer.h"
#include "locus/train/schedule.h"

namespace locus {

struct TrainSettings {
  int64_t steps = 1000;
  int64_t micro_batches = 1;
  int64_t shards = 1;
  int64_t seed = 1;
  int64_t eval_every = 0, save_every = 0;  // steps; 0: at the end only

  Schedule::Shape schedule = Schedule::Shape::cosine;
  double learning_rate = 1e-3, floor = 0;
  int64_t warmup = -1, decay_steps = 0;
  AdamWSettings adamw{.clip = 1};
  std::string frozen;
  Device device = Device::cpu;
  DType dtype = DType::f32;

  template <class V>
  void fields(V& v) {
    v.integer("steps", steps, 1, 1e9, "total number of optimizer steps");
    v.integer("micro_batches", micro_batches, 1, 4096,
              "number of micro-batches per step (gradient accumulation); saves memory, same gradient");
    v.integer("shards", shards, 1, 64,
              "number of shards per step, whose gradients are added in a fixed tree; "
              "each has its own micro-batches");
    v.integer("seed", seed, 0, 9e15, "seed of all random numbers");
    v.integer("eval_every", eval_every, 0, 1e9, "steps between validations; 0: only at the end");
    v.integer("save_every", save_every, 0, 1e9, "steps between checkpoints; 0: only at the end");
    v.choice("schedule", schedule, "constant|linear|cosine|stable-decay",
             "shape of the learning rate after the warm-up");
    v.number("learning_rate", learning_rate, 0, 10, "peak learning rate");
    v.number("floor", floor, 0, 1, "final learning rate, as a fraction of the peak");
    v.integer("warmup", warmup, -1, 1e9,
              "steps of linear warm-up of the learning rate; -1: a tenth of all steps, at most 1000");
    v.integer("decay_steps", decay_steps, 0, 1e9,
              "length of the final decay in steps, for schedule stable-decay");
    v.number("beta1", adamw.beta1, 0, 0.9999999, "AdamW: decay rate of the first moment");
    v.number("beta2", adamw.beta2, 0, 0.9999999, "AdamW: decay rate of the second moment");
    v.number("eps", adamw.eps, 1e-30, 1, "AdamW: added to the denominator");
    v.number("weight_decay", adamw.weight_decay, 0, 1,
             "AdamW: each step shrinks the weights by learning rate times this");
    v.number("clip", adamw.clip, 0, 1e9,
             "largest gradient norm; larger gradients are scaled down; 0: no clipping");
    v.text("decayed", adamw.decayed,
           "parameters to decay although the default rule excludes them: comma-separated patterns with *");
    v.text("undecayed", adamw.undecayed,
           "parameters to exclude from weight decay: comma-separated patterns with *");
    v.text("frozen", frozen,
           "parameters that are not trained and keep their bits: comma-separated patterns with *");
    v.choice("device", device, kDeviceWords,
             "where the model is trained; cuda is an NVIDIA GPU. A run may resume on the other one");
    v.choice("dtype", dtype, "f32|bf16",
             "format of activations and their gradients in training; everything else is f32");
  }

  // Parts in which a step computes: the micro-batches of all shards.
  int64_t step_parts() const { return shards * micro_batches; }
  int64_t warmup_steps() const { return warmup >= 0 ? warmup : std::min<int64_t>(steps / 10, 1000); }
};

inline constexpr const char* kDeviceSetting = "train.device";

struct TrainProgress {
  StepMetrics last;
  int64_t steps = 0;  // total of the run
  double tokens_per_second = 0, seconds_left = 0;
  std::optional<Validation> validation;  // if this step had one
  // The steps that this process has done, and how long they took; what it sent to other ranks in them, and
  // how long it waited.
  int64_t own_steps = 0;
  double own_seconds = 0;
  dist::Traffic traffic = {};
};

// Callbacks, all optional. `progress` and `stop` are called after every step.
struct TrainHooks {
  std::function<void(int64_t step)> start;  // before the first step, with the number of finished steps
  std::function<void(const TrainProgress&)> progress;
  std::function<bool()> stop;                    // returns true: save and stop
  std::function<void(const std::string&)> note;  // warnings, for example a damaged checkpoint
};

// A run continues with other settings or data: in its own folder, or in a new one.
struct Continuation {
  // For a new folder: the checkpoint to start from and the metrics of its run.
  std::filesystem::path checkpoint = {}, metrics = {};
  std::vector<std::string> data_files;  // those of TrainJob::files that may change
  // Settings whose change leaves validation losses comparable. After any other change in [data], in the
  // model or in the seed, the best checkpoint is chosen again.
  std::vector<std::string> comparable;
};

struct TrainJob {
  Objective& objective;
  Parameters& parameters;
  RunFolder* folder;  // of rank 0; other ranks have none
  TrainSettings settings;
  Settings config;                                         // the whole configuration, saved with the model
  std::vector<std::pair<std::string, std::string>> files;  // names and contents, saved with the model
  // Settings that may change when a run resumes: the device, and paths, since `files` identify the contents.
  std::vector<std::string> free_settings;
  std::optional<Continuation> continuation = {};
  TrainHooks hooks;
  // The processes that share each step (rank_exchange.h), and null for one that is alone. All of them call
  // train() with the same job. The bits do not depend on their number.
  dist::Transport* ranks = nullptr;
};

// Trains from the last checkpoint of the folder to the last step, or until `stop` returns true. Returns the
// step it reached. Throws Code::run_mismatch with the differences if the folder has another configuration or
// other files. A continued run keeps its weights, moments and step, and the checkpoints record what changed
// (run_changes.h). Throws Fault::diverged if a loss, gradient or parameter is not finite; the last checkpoint
// stays unchanged. On all ranks: if hooks.stop() returns true on one of them, all save and stop; if ranks
// have different jobs, Fault::peer.
int64_t train(TrainJob job);

}  // namespace locus
