// Embeds texts once and searches them: search DIR INDEX.npy QUERY TEXT..
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 5) return 2;
  const locus::Embedder embedder(words[1]);
  const std::vector<std::string> texts(words + 4, words + count);
  const locus::Tensor vectors = embedder.embed_as("document", texts);
  locus::VectorWriter writer(words[2], embedder.width());
  for (int64_t row = 0; row < vectors.size(0); ++row) {
    writer.add(vectors.rows(row, row + 1).data<float>(), texts[static_cast<size_t>(row)]);
  }
  writer.commit();

  const locus::VectorIndex index(words[2]);
  const auto found = index.search(embedder.embed_as("query", {words[3]}), 3);
  for (const locus::NearRow& near : found[0]) {
    fmt::print("{:.4f} {} {}\n", near.score, near.row, index.text(near.row));
  }
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "search: {}\n", error.what());
  return static_cast<int>(error.fault());
}
