// The quality of a model on a file: overall, and by the length of the input.
#pragma once

#include <filesystem>
#include <vector>

#include "locus/run/trained_model.h"
#include "locus/train/metrics.h"
#include "locus/train/predictions.h"

namespace locus {

struct Evaluation {
  int64_t samples = 0, targets = 0;
  // The numbers of Tally, then `bits_per_byte` for the next token of a text or of the targets of an
  // encoder-decoder, and `majority`: the accuracy of always predicting the most frequent target. For answers,
  // exact_match and f1 of the answer texts take the place of `majority`.
  std::vector<NamedNumber> numbers;

  // The length is that of the sample, or of its source for an encoder-decoder. For a decoder on windows over
  // a text, it is the number of tokens that the prediction saw. Up to 12 lengths have a band each; more
  // lengths are grouped into bands that end at powers of two. Empty if all lengths are equal.
  struct Band {
    int64_t least = 0, most = 0, targets = 0;
    std::vector<NamedNumber> numbers;
  };
  std::vector<Band> by_length;
};

struct EvaluationOptions {
  bool truncate =
      false;  // cut examples that are longer than the context of the model; else they are an error
  SampleProgress progress = {};
};

// A file has the format of the training data of the model's task.
Evaluation evaluate(const TrainedModel& trained, const std::filesystem::path& file,
                    const EvaluationOptions& options = {});

}  // namespace locus
