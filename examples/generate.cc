// Continues a prompt and prints the text as it is generated: generate DIR PROMPT
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 3) return 2;
  const locus::Writer writer(words[1]);
  locus::WriteOptions options = writer.defaults();
  options.max_tokens = 12;
  options.on_text = [](size_t, std::string_view text) {
    fmt::print("{}", text);
    return true;  // false would stop the generation
  };
  writer.write({words[2]}, options);
  fmt::print("\n");
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "generate: {}\n", error.what());
  return static_cast<int>(error.fault());
}
