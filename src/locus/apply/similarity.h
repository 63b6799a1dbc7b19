// Similarity of texts: the cosine of their embeddings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "locus/apply/embedder.h"
#include "locus/apply/nearest_rows.h"

namespace locus {

// The similarity of each pair, in order. Every input must have two texts. The similarity of an invalid pair
// (see ReadOptions::on_bad) is 0. `prompt`: see Embedder::embed.
std::vector<double> similarities(const Embedder& embedder, ListView<TextInput> pairs,
                                 const ReadOptions& options = {}, std::string_view prompt = {});

// Finds the texts that are most similar to queries in a stream of texts. Queries and documents get the
// prompts of that name, if the folder has them. To search the same texts again, keep their vectors:
// vector_index.h.
class Nearest {
 public:
  struct Match {
    double score = 0;
    int64_t number = 0;  // index of the text, from 0
    std::string text;
  };
  // The embedder must outlive this object.
  Nearest(Embedder&&, ListView<std::string>, size_t, const ReadOptions& = {}) = delete;
  Nearest(const Embedder& embedder, ListView<std::string> queries, size_t count,
          const ReadOptions& options = {});

  void add(ListView<std::string> texts, const ReadOptions& options = {});
  // For each query its best matches, most similar first, ties in the order of the texts.
  std::vector<std::vector<Match>> best() const;

 private:
  void forget_others();  // the texts that no longer match

  const Embedder& embedder_;
  NearestRows nearest_;
  std::vector<int64_t> numbers_;          // of the texts that could be read, by row
  std::map<int64_t, std::string> texts_;  // by row
  size_t most_texts_ = 0;                 // before it is worth forgetting some
  int64_t seen_ = 0;
};

}  // namespace locus
