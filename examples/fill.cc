// Prints the most likely tokens for each mask: fill DIR TEXT
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 3) return 2;
  const locus::Filler filler(words[1]);
  const std::vector<std::vector<locus::FilledMask>> filled = filler.fill({words[2]}, 3);
  for (const locus::FilledMask& mask : filled[0]) {
    for (const locus::Filling& filling : mask.best) fmt::print("{:.4f} {}\n", filling.score, filling.token);
  }
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "fill: {}\n", error.what());
  return static_cast<int>(error.fault());
}
