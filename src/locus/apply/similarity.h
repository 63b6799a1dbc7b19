// Text similarity: the cosine of the embeddings, from -1 to 1.
//   similarity(a, b) = a.b / (|a| |b|)
#pragma once

#include <string>
#include <vector>

#include "locus/apply/embedder.h"

namespace locus {

double cosine(std::span<const float> a, std::span<const float> b);  // 0 if one of them is 0

// The similarity of each pair, in order. Every input must have two texts. The similarity of an invalid pair
// (see ReadOptions::on_bad) is 0. `prompt`: see Embedder::embed.
std::vector<double> similarities(const Embedder& embedder, std::span<const TextInput> pairs,
                                 const ReadOptions& options = {}, std::string_view prompt = {});

// Finds the texts that are most similar to a query in a stream of texts. Queries and documents get the
// prompts of that name, if the folder has them.
class Nearest {
 public:
  struct Match {
    double score = 0;
    int64_t number = 0;  // index of the text, from 0
    std::string text;
  };
  // The embedder must outlive this object.
  Nearest(Embedder&&, const std::string&, size_t, const ReadOptions& = {}) = delete;
  Nearest(const Embedder& embedder, const std::string& query, size_t count, const ReadOptions& options = {});

  void add(std::span<const std::string> texts, const ReadOptions& options = {});
  const std::vector<Match>& best() const { return best_; }  // most similar first; on a tie, the earlier text

 private:
  const Embedder& embedder_;
  Tensor query_;  // [1, C]
  size_t count_;
  int64_t seen_ = 0;
  std::vector<Match> best_;
};

}  // namespace locus
