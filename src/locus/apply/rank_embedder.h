// Embeds texts with all ranks of a job. Rank 0 has the texts, hands out blocks of them, and computes as well.
// The vectors are those of Embedder::embed(), bit for bit.
#pragma once

#include "locus/apply/embedder.h"
#include "locus/dist/crew.h"

namespace locus {

class RankEmbedder {
 public:
  // All ranks construct it. Throws Fault::peer if a rank would compute other vectors than rank 0: it has
  // another version, SIMD target or GPU, device or model, or other options.
  RankEmbedder(const Embedder& embedder, std::string prompt, const ReadOptions& options,
               dist::Transport& transport, dist::StopAsked stop_asked);

  // On rank 0. As Embedder::embed(). Throws dist::Stop if a rank asks to stop.
  Tensor embed(ListView<std::string> texts, const ReadOptions& options);
  // On rank 0, at the end: the other ranks return `number` from help().
  void dismiss(int number) { crew_.dismiss(number); }

  // On the other ranks: embeds blocks of texts until they are dismissed. Returns the number of dismiss().
  int help();

 private:
  const Embedder& embedder_;
  std::string prompt_;
  ReadOptions options_;
  dist::Transport& transport_;
  dist::StopAsked stop_asked_;
  dist::Crew crew_;
};

// What the vectors of an embedder depend on besides the texts, as text.
std::string identity_of(const Embedder& embedder, std::string_view prompt, const ReadOptions& options);

}  // namespace locus
