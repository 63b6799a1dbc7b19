// Which checkpoint of a run a command uses.
#pragma once

#include "locus/base/json.h"
#include "locus/train/trained_model.h"

namespace locus::cli {

// One note on stderr for a run folder; none for a Hugging Face model folder, or if the user named the
// checkpoint.
void note_checkpoint(const TrainedModel& trained);

// The same for JSON output: "checkpoint", the folder, and for a run "step" and, if it has validation,
// "validation_loss".
json::Members checkpoint_members(const TrainedModel& trained);

}  // namespace locus::cli
