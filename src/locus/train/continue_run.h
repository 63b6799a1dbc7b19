// A run that continues with other settings or data: more steps, another context length, more data, another
// learning rate. It keeps the weights, the optimizer moments and the step.
#pragma once

#include <filesystem>

#include "locus/train/run_plan.h"

namespace locus {

struct ContinuedRun {
  RunPlan plan;  // its model has uninitialized weights, which train() reads from the checkpoint
  std::filesystem::path run, checkpoint;  // the run folder, and its newest checkpoint
  Continuation continuation;              // for a new folder
};

// `place` is a run folder, which means its newest checkpoint, or a checkpoint. Settings that are not in
// `settings` keep their values. Model, tokenizer and label names stay the same, except model.dropout and
// model.attention_dropout, and model.max_length if the scheme extrapolates. Relative paths in a configuration
// file are relative to `folder`.
ContinuedRun plan_continued(const std::filesystem::path& place, const Settings& settings,
                            const std::filesystem::path& folder);

}  // namespace locus
