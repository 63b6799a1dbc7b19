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
#include <string>
#include <vector>

#include "locus/checkpoint/length_limits.h"
#include "locus/checkpoint/model_folder.h"

namespace locus {

enum class Stretch { interpolate, repeat, linear, ntk, yarn };

// Whether the scheme has a limit or a scaling. Otherwise it is defined at every length.
bool has_context_to_stretch(const Blueprint& blueprint);

// Throws if the method does not fit the scheme, or the length is not longer than the context window. `path`
// names the model in the error.
void check_stretch(const Blueprint& blueprint, const std::string& path, int64_t length, Stretch how);

struct Stretched {
  int64_t from = 0, to = 0;         // tokens
  std::vector<FileChange> changes;  // of the folder
  bool only_newer = false;          // transformers before version 5 has no such rotation
};

// Writes the extended model to a folder that transformers can open. Limits of the tokenizer and of
// sentence-transformers follow the new length. Throws as check_stretch().
Stretched stretch_model(const ModelFolder& folder, int64_t length, Stretch how,
                        const std::filesystem::path& to);

}  // namespace locus
