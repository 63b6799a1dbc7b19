// Classifies texts: classify DIR TEXT..
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 3) return 2;
  const locus::Classifier classifier(words[1]);
  std::vector<locus::TextInput> texts;
  for (int i = 2; i < count; ++i) texts.push_back({words[i]});
  for (const locus::Classification& one : classifier.classify(texts)) {
    fmt::print("{} {:.4f}\n", classifier.labels()[one.best], one.scores[one.best]);
  }
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "classify: {}\n", error.what());
  return static_cast<int>(error.fault());
}
