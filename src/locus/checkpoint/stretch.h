// The same checkpoint with a longer context: a learned table gets more rows, a rotary model another scaling
// in config.json.
//   interpolate  row i of N is read at i (L - 1) / (N - 1) of the old L rows, between two of them
//   repeat       row i is old row i mod L
//   linear       positions are divided by N / L
//   ntk          the base is multiplied by (N / L)^(d / (d - 2)), d the rotated width
//   yarn         slow pairs as linear, fast ones as they are, a ramp between
//                (Peng et al. 2023, arXiv 2309.00071)
#pragma once

#include <filesystem>

#include "locus/checkpoint/model_folder.h"

namespace locus {

enum class Stretch { interpolate, repeat, linear, ntk, yarn };

// Writes the stretched model to a folder that transformers opens as well. A way that does not suit the
// model's scheme, and a length that is not longer, are refused.
void stretch_model(const ModelFolder& folder, int64_t length, Stretch how, const std::filesystem::path& to);

}  // namespace locus
