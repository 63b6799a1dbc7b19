// Training: steps of an optimiser over an objective, in a folder that can be left and come back to at any
// moment.
//
// A step adds the gradients of its parts, weighted by what they stand for, so that a step in four parts
// follows the very mean a step in one would; clips; moves the parameters. Everything random is a function of
// seed and step: a run that was killed and resumed ends with the same bits as one that was not, whatever the
// number of threads.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "locus/base/settings.h"
#include "locus/train/objective.h"
#include "locus/train/optimizer.h"
#include "locus/train/run_folder.h"
#include "locus/train/schedule.h"

namespace locus {

struct TrainSettings {
  int64_t steps = 1000;
  int64_t micro_batches = 1;  // a step's samples are taken in so many parts: less memory, the same mean
  int64_t seed = 1;
  int64_t eval_every = 0, save_every = 0;  // steps; 0: at the end only

  Schedule::Shape schedule = Schedule::Shape::cosine;
  double learning_rate = 1e-3, floor = 0;
  int64_t warmup = 0, decay_steps = 0;
  AdamWSettings adamw;

  template <class V>
  void fields(V& v) {
    v.integer("steps", steps, 1, 1e9, "steps of the optimiser in all");
    v.integer("micro_batches", micro_batches, 1, 4096,
              "a step's samples are taken in so many parts, to save memory");
    v.integer("seed", seed, 0, 9e15, "of everything random");
    v.integer("eval_every", eval_every, 0, 1e9, "steps from one validation to the next; 0: at the end only");
    v.integer("save_every", save_every, 0, 1e9, "steps from one checkpoint to the next; 0: at the end only");
    v.choice("schedule", schedule, "constant|linear|cosine|stable-decay",
             "how the rate goes on after the rise");
    v.number("learning_rate", learning_rate, 0, 10, "the largest learning rate");
    v.number("floor", floor, 0, 1, "where the rate ends, as a part of it");
    v.integer("warmup", warmup, 0, 1e9, "steps in which the rate rises");
    v.integer("decay_steps", decay_steps, 0, 1e9,
              "of stable-decay: steps at the end in which the rate falls");
    v.number("beta1", adamw.beta1, 0, 0.9999999, "AdamW: memory of the gradient");
    v.number("beta2", adamw.beta2, 0, 0.9999999, "AdamW: memory of its square");
    v.number("eps", adamw.eps, 1e-30, 1, "AdamW: added to the root");
    v.number("weight_decay", adamw.weight_decay, 0, 1,
             "AdamW: weights shrink by rate times this in every step");
    v.number("clip", adamw.clip, 0, 1e9, "largest norm of the gradient; 0: any");
    v.text("decayed", adamw.decayed, "parameters to decay against the rule: patterns with *, by commas");
    v.text("undecayed", adamw.undecayed, "parameters not to decay: patterns with *, by commas");
  }
};

struct TrainProgress {
  StepMetrics last;
  int64_t steps = 0;  // in all
  double tokens_per_second = 0, seconds_left = 0;
  std::optional<Validation> validation;  // when this step had one
};

// Asked and told after every step.
struct TrainHooks {
  std::function<void(const TrainProgress&)> progress;
  std::function<bool()> stop;                    // true: save and leave
  std::function<void(const std::string&)> note;  // what a person should know: a damaged checkpoint, say
};

struct TrainJob {
  Objective& objective;
  Parameters& parameters;
  RunFolder& folder;
  TrainSettings settings;
  Settings config;                                         // all of it, saved beside the model
  std::vector<std::pair<std::string, std::string>> files;  // saved beside the model, too
  std::vector<std::string> places;  // settings that say where things are of which `files` say what they are
  TrainHooks hooks;
};

// Trains from where the folder stands to the last step, or until asked to stop; returns the step it came to.
// Another configuration than the folder's, or other files: Fault::usage, with the differences. A loss, a
// gradient or a parameter that is not finite: Fault::diverged; the last checkpoint stays as it is.
int64_t train(TrainJob job);

}  // namespace locus
