// Texts with hidden words: what the model would put in place of each mask. The mask is written by its name,
// [MASK] or <mask> as the vocabulary has it; names of other special tokens in the text mean these tokens too.
#pragma once

#include "locus/apply/reading.h"

namespace locus {

struct Filling {
  int32_t id = 0;
  std::string token;  // its text
  double score = 0;   // its probability
};

struct FilledMask {
  TextSpan bytes;                  // of the mask, in the original text
  std::vector<Filling> best;       // the likeliest first
  std::vector<std::string> texts;  // the whole text with each of them; empty where there are several masks
};

class Filler {
 public:
  explicit Filler(const std::filesystem::path& folder, DType weights = DType::f32);

  const TextModel& model() const { return model_; }
  const std::string& mask() const { return mask_; }  // its name

  // The masks of every text, in order, with the `count` likeliest tokens; none for a text that could not be
  // read.
  std::vector<std::vector<FilledMask>> fill(std::span<const std::string> texts, size_t count,
                                            const ReadOptions& options = {}) const;

 private:
  FilledMask filled(const Encoding& encoding, size_t token, std::span<const float> logits,
                    size_t count) const;

  TextModel model_;
  std::string mask_;
  int32_t mask_id_ = 0;
};

}  // namespace locus
