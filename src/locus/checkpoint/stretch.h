// Extends the context window of a checkpoint: a learned position table gets more rows, a rotary model gets
// another scaling in config.json. N is the new length, L the old one.
//   interpolate  row i of N is read at i (L - 1) / (N - 1) of the old L rows, between two of them
//   repeat       row i is old row i mod L
//   linear       positions are divided by N / L
//   ntk          the base is multiplied by (N / L)^(d / (d - 2)), d the rotated width
//   yarn         slow pairs as linear, fast pairs unchanged, a ramp between
//                (Peng et al. 2023, arXiv 2309.00071)
#pragma once

#include <filesystem>

#include "locus/checkpoint/model_folder.h"

namespace locus {

enum class Stretch { interpolate, repeat, linear, ntk, yarn };

// Writes the extended model to a folder that transformers can open. A method that does not fit the scheme of
// the model, or a length that is not longer, is an error.
void stretch_model(const ModelFolder& folder, int64_t length, Stretch how, const std::filesystem::path& to);

}  // namespace locus
