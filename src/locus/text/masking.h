// Masked-token corruption (Devlin et al. 2018, arXiv 1810.04805): of the tokens some are chosen to be
// guessed; of those 80 % are replaced by the mask, 10 % by any token, 10 % stay. Which and how is a function
// of (seed, epoch, number of the token), so a batch can be made again.
#pragma once

#include <cstdint>
#include <set>
#include <span>

namespace locus {

struct Masking {
  double rate = 0.15;      // of tokens chosen
  int32_t mask = -1;       // the id of the mask token
  int32_t vocabulary = 0;  // V: a replacement is drawn from all of them
  std::set<int32_t> kept;  // tokens that are never chosen: special ones
};

inline constexpr int32_t kNoTarget = -100;

// Corrupts ids [n] in place and writes targets [n]: the token that stood there where one was chosen,
// kNoTarget elsewhere. `first` is the number of ids[0] among all tokens of the epoch: window x context.
void mask_tokens(std::span<int32_t> ids, std::span<int32_t> targets, const Masking& masking, uint64_t seed,
                 int64_t epoch, int64_t first);

}  // namespace locus
