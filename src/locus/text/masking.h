// Masking for masked language models (Devlin et al. 2018, arXiv 1810.04805). Some tokens are chosen as
// targets. Of these, 80 % are replaced by the mask token, 10 % by a random token, and 10 % stay. The choice
// is a function of (seed, epoch, index of the token), so every batch can be reproduced. At least one token of
// a sequence is chosen if the rate is above 0.
#pragma once

#include <cstdint>
#include <set>
#include <span>

namespace locus {

struct Masking {
  double rate = 0.15;      // fraction of tokens to choose
  int32_t mask = -1;       // the id of the mask token
  int32_t vocabulary = 0;  // V: random tokens are uniform over all ids
  std::set<int32_t> kept;  // tokens that are never chosen: special tokens
};

inline constexpr int32_t kNoTarget = -100;

// Masks ids [n] in place and writes targets [n]: the original token if it was chosen, otherwise kNoTarget.
// `first` is the index of ids[0] among all tokens of the epoch: window x context.
void mask_tokens(std::span<int32_t> ids, std::span<int32_t> targets, const Masking& masking, uint64_t seed,
                 int64_t epoch, int64_t first);

}  // namespace locus
