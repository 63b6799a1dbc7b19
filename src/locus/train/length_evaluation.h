// The quality of a model on a text, read in windows of several lengths: how well it extrapolates. Every
// length has the same targets (train/text_windows.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "locus/run/trained_model.h"
#include "locus/train/predictions.h"

namespace locus {

struct LengthOptions {
  std::vector<int64_t> lengths;  // tokens of a window; empty: the longest that the model and the text allow
  int64_t stride = 0;            // text tokens from one window to the next; 0: no overlap
  SampleProgress progress = {};  // the samples are the windows of all lengths
};

struct LengthScore {
  int64_t length = 0, windows = 0, targets = 0;
  double loss = 0, accuracy = 0;
  std::optional<double> late_loss;      // of the targets in the second half of their windows
  std::optional<double> bits_per_byte;  // for the next token
  std::string problem;                  // why the model cannot read this length; then there are no numbers
};

// Targets by their position in the window, counted from 1.
struct PositionLoss {
  int64_t least = 0, most = 0, targets = 0;
  double loss = 0;
};

struct LengthEvaluation {
  int64_t tokens = 0, bytes = 0;        // of the text
  std::vector<LengthScore> lengths;     // in increasing order, without duplicates
  std::vector<PositionLoss> positions;  // at longest(), in bands that end at powers of two

  int64_t longest() const;  // the greatest length without a problem
};

// Requires a decoder that predicts the next token or an encoder that predicts masked tokens. A length has a
// problem if it is longer than the text, or past the last position of the scheme. Throws if all lengths have
// one.
LengthEvaluation evaluate_lengths(const TrainedModel& trained, const std::filesystem::path& file,
                                  const LengthOptions& options);

}  // namespace locus
