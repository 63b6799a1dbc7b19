// Fill-mask: the most likely tokens for each mask of a text. The text contains the name of the mask token,
// [MASK] or <mask> as the tokenizer spells it. Names of other special tokens in the text become these tokens,
// too.
#pragma once

#include "locus/apply/reading.h"

namespace locus {

struct Filling {
  int32_t id = 0;
  std::string token;  // text of the token
  double score = 0;   // probability
};

struct FilledMask {
  TextSpan bytes;                  // of the mask, in the original text
  std::vector<Filling> best;       // most likely first
  std::vector<std::string> texts;  // the whole text with each of `best`; empty if the text has several masks
};

class Filler {
 public:
  explicit Filler(const std::filesystem::path& folder, DType weights = DType::f32,
                  Device device = Device::cpu);
  explicit Filler(TextModel model);

  const TextModel& model() const { return model_; }
  const std::string& mask() const { return mask_; }  // name of the mask token

  // The masks of each text in order, with the `count` most likely tokens. No masks for an invalid text (see
  // ReadOptions::on_bad).
  // `targets`, if there are any, are the only tokens to choose from.
  std::vector<std::vector<FilledMask>> fill(ListView<std::string> texts, size_t count,
                                            const ReadOptions& options = {},
                                            std::span<const int32_t> targets = {}) const;

 private:
  FilledMask filled(const Encoding& encoding, size_t token, std::span<const float> logits, size_t count,
                    std::span<const int32_t> targets) const;
  TextRows compute(const Tokens& texts) const;  // logits, one row per mask

  TextModel model_;
  std::string mask_;
  int32_t mask_id_ = 0;
};

}  // namespace locus
