// How good a model is on a file: in all, and by the length of what it read.
#pragma once

#include <filesystem>
#include <vector>

#include "locus/train/predictions.h"
#include "locus/train/saved_run.h"

namespace locus {

struct Evaluation {
  int64_t samples = 0, targets = 0;
  // Those of summary(), then `majority`: the accuracy of who always says the commonest target. Of answers
  // instead exact_match and f1 of their texts.
  std::vector<NamedNumber> numbers;

  // A length is that of the sample, its source's where it has one; in windows over a text, the tokens a
  // prediction was made from. Few lengths stand alone, many in bands up to powers of two; all of one: none.
  struct Band {
    int64_t least = 0, most = 0, targets = 0;
    std::vector<NamedNumber> numbers;
  };
  std::vector<Band> by_length;
};

Evaluation evaluate(const SavedRun& run, const std::filesystem::path& file);

}  // namespace locus
