// Lets a model write. A decoder goes on behind a prompt; an encoder-decoder reads the prompt and answers, as
// in a translation. How, is what the folder's generation_config.json says where the caller does not.
#pragma once

#include <functional>

#include "locus/apply/reading.h"
#include "locus/checkpoint/generation_config.h"
#include "locus/nn/generate.h"

namespace locus {

struct WriteOptions {
  int64_t max_tokens = 0;  // new ones; 0: as the folder says, or else 128
  Sampling sampling;       // writer.defaults() has what the folder says
  int64_t beams = 1;       // more than one: beam search; of `sampling` only the repetition penalty counts
  float length_penalty = 1;
  uint64_t seed = 0;
  Specials specials = Specials::are_text;  // in a prompt
  // Languages of an encoder-decoder that knows several, by their special tokens, as fra_Latn of NLLB: what
  // stands around a text that is read, and what begins the answer. Empty: as the folder says.
  std::string from, to;
  std::vector<std::string> stops;  // text that ends the answer, and is not part of it
  // Told of what is written as soon as it is certain, by the prompt's place from 0. False: it is enough, and
  // the answer to this prompt ends there.
  std::function<bool(size_t prompt, std::string_view text)> on_text = {};
};

class Writer {
 public:
  explicit Writer(const std::filesystem::path& folder, DType weights = DType::f32);

  const TextModel& model() const { return model_; }
  bool reads() const { return model_.blueprint().kind == ModelKind::encoder_decoder; }
  // What generation_config.json asks for and Locus does not have, and warnings about the weights.
  const std::vector<std::string>& warnings() const { return warnings_; }
  WriteOptions defaults() const;  // as the folder says
  bool says_beams() const { return generation_.beams > 0; }

  // What follows each prompt, or answers it, in order; the same whatever stands beside it. A prompt that is
  // too long loses its beginning with `truncate`, a text that is read its end.
  std::vector<std::string> write(std::span<const std::string> prompts, const WriteOptions& options,
                                 const ReadOptions& reading = {}) const;

 private:
  struct Job;
  Encoding prompt_of(const std::string& text, Specials specials, bool truncate) const;
  void set_language(Encoding& encoding, int32_t language) const;
  int64_t most_tokens(const WriteOptions& options, size_t prompt) const;
  void search(Job& job, size_t text) const;
  void sample(Job& job, std::span<const size_t> texts) const;

  TextModel model_;
  GenerationConfig generation_;
  std::vector<std::string> warnings_;
};

}  // namespace locus
