// Converts texts to token ids and back: tokenize DIR TEXT..
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 3) return 2;
  const auto tokenizer = locus::load_tokenizer(words[1]);
  for (int i = 2; i < count; ++i) {
    const locus::Encoding encoding = tokenizer->encoding(words[i]);  // with special tokens and offsets
    fmt::print("{} -> {}\n", fmt::join(encoding.ids, " "), tokenizer->decode_text(encoding.ids));
  }
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "tokenize: {}\n", error.what());
  return static_cast<int>(error.fault());
}
