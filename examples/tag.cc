// Finds the labeled spans of a text: tag DIR TEXT
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 3) return 2;
  const locus::Tagger tagger(words[1]);
  const std::vector<std::string> texts = {words[2]};
  const std::vector<std::vector<locus::TaggedSpan>> tagged = tagger.tag(texts);
  for (const locus::TaggedSpan& span : tagged[0]) {
    const auto [begin, end] = span.bytes;
    fmt::print("{} {:.4f} {}\n", span.label, span.score, texts[0].substr(begin, end - begin));
  }
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "tag: {}\n", error.what());
  return static_cast<int>(error.fault());
}
