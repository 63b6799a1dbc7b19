// What a command reports about the model that it opened.
#pragma once

#include "locus/apply/writer.h"
#include "locus/base/json.h"
#include "locus/run/trained_model.h"

namespace locus::cli {

// On stderr: the warnings about the model, then which checkpoint of a run folder is used. There is no such
// note for a Hugging Face model folder, or if the user named the checkpoint.
void note_model(const TrainedModel& trained);
void note_model(const Writer& writer);

// The same for JSON output: "checkpoint", the folder, and for a run "step" and, if it has validation,
// "validation_loss".
json::Members checkpoint_members(const TrainedModel& trained);

}  // namespace locus::cli
