// Generation of several sequences that join and leave between tokens. Every sequence gets the same bits as if
// it were alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "locus/base/error.h"
#include "locus/nn/model.h"
#include "locus/nn/sampling.h"
#include "locus/nn/token_rules.h"

namespace locus {

class Decoder;

// How one sequence is generated.
struct GenerateOptions {
  int64_t max_tokens = 128;         // maximum number of new tokens
  std::vector<int32_t> end_tokens;  // the sequence ends after any of these
  TokenRules rules;
  Sampling sampling;
  uint64_t seed = 0;
};

// Why a sequence ended. `length` means max_tokens, or that no position is left in the table of the scheme.
enum class Finish { none, end_token, length };

struct GeneratedToken {
  int64_t id;  // of the sequence
  int32_t token;
  Finish finish;  // none: the sequence continues
};

// Why a step failed for one sequence.
class SequenceError : public Error {
 public:
  SequenceError(const Error& cause, int64_t id)
      : Error(cause.at(fmt::format("sequence {}", id))), cause_(cause), id_(id) {}
  const Error& cause() const { return cause_; }
  int64_t id() const { return id_; }

 private:
  Error cause_;
  int64_t id_;
};

class Generation {
 public:
  // The model must exist as long as this object.
  explicit Generation(const Model& model);
  Generation(Generation&&) noexcept;
  ~Generation();

  // Adds a sequence and returns its id: 0, 1 and so on. Its prompt is computed in the next step, together
  // with the single tokens of the other sequences. `text` is the input of the encoder of an encoder-decoder,
  // whose prompt is the first tokens of the decoder.
  int64_t add(const std::vector<int32_t>& prompt, const GenerateOptions& options = {},
              const std::vector<int32_t>& text = {});
  // Generates one token of every sequence, in the order they were added. A sequence that ends leaves. If it
  // throws, nothing has changed. After a SequenceError, remove its sequence and call step() again.
  std::vector<GeneratedToken> step();
  // Removes a sequence before its end. Returns false if no sequence has this id, for example after it ended.
  bool remove(int64_t id);

  bool empty() const { return sequences_.empty(); }
  int64_t count() const { return std::ssize(sequences_); }

 private:
  struct Sequence {
    int64_t id;
    GenerateOptions options;
    std::vector<int32_t> tokens;  // prompt and new tokens
    int64_t written = 0;          // new tokens
    size_t read = 0;              // tokens that the decoder has
  };
  GeneratedToken next_token(const Sequence& sequence, std::vector<float> logits) const;
  template <class Stays>
  void keep(Stays stays);

  const Model& model_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<Sequence> sequences_;  // in the order of the decoder
  int64_t next_id_ = 0;
};

}  // namespace locus
