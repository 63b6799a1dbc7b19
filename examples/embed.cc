// Computes an embedding vector for each text: embed DIR TEXT..
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 3) return 2;
  const locus::Embedder embedder(words[1]);
  const std::vector<std::string> texts(words + 2, words + count);
  const locus::Tensor vectors = embedder.embed(texts);
  fmt::print("{} of them: {}\n", texts.size(), vectors.shape().text());
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "embed: {}\n", error.what());
  return static_cast<int>(error.fault());
}
