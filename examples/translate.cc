// Runs an encoder-decoder on each text, for example to translate it: translate DIR TEXT..
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 3) return 2;
  const locus::Writer writer(words[1]);
  const std::vector<std::string> texts(words + 2, words + count);
  for (const std::string& answer : writer.write(texts, writer.defaults())) fmt::print("{}\n", answer);
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "translate: {}\n", error.what());
  return static_cast<int>(error.fault());
}
