// Prints the similarity of two texts: similarity DIR TEXT TEXT
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 4) return 2;
  const locus::Embedder embedder(words[1]);
  const std::vector<locus::TextInput> pairs = {{words[2], words[3]}};
  fmt::print("{:.4f}\n", locus::similarities(embedder, pairs)[0]);
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "similarity: {}\n", error.what());
  return static_cast<int>(error.fault());
}
