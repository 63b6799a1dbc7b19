// How alike texts are: the cosine of their embeddings, from -1 to 1.
//   similarity(a, b) = a.b / (|a| |b|)
#pragma once

#include <string>
#include <vector>

#include "locus/apply/embedder.h"

namespace locus {

double cosine(std::span<const float> a, std::span<const float> b);  // 0 where one of them is 0

// Of every pair, in order; every input must have two texts. That of a pair that could not be read is 0.
// `prompt` as of Embedder::embed.
std::vector<double> similarities(const Embedder& embedder, std::span<const TextInput> pairs,
                                 const ReadOptions& options = {}, std::string_view prompt = {});

// The texts most like a query, of any number of texts that come one after the other. Where the folder has
// prompts for queries and for documents, they stand before them.
class Nearest {
 public:
  struct Match {
    double score = 0;
    int64_t number = 0;  // of the text, the first is 0
    std::string text;
  };
  // The embedder must outlive it.
  Nearest(Embedder&&, const std::string&, size_t, const ReadOptions& = {}) = delete;
  Nearest(const Embedder& embedder, const std::string& query, size_t count, const ReadOptions& options = {});

  void add(std::span<const std::string> texts, const ReadOptions& options = {});
  const std::vector<Match>& best() const { return best_; }  // the most similar first; of equals the earlier

 private:
  const Embedder& embedder_;
  Tensor query_;  // [1, C]
  size_t count_;
  int64_t seen_ = 0;
  std::vector<Match> best_;
};

}  // namespace locus
