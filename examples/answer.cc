// Finds the span of a context that answers a question: answer DIR QUESTION CONTEXT
#include <fmt/core.h>

#include "locus/locus.h"

int main(int count, char** words) try {
  if (count < 4) return 2;
  const locus::Answerer answerer(words[1]);
  const std::vector<locus::QuestionInput> asked = {{words[2], words[3]}};
  const locus::FoundAnswer found = answerer.answer(asked)[0];
  const auto [begin, end] = found.bytes;
  fmt::print("{}\n", found.found ? asked[0].context.substr(begin, end - begin) : "no answer");
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "answer: {}\n", error.what());
  return static_cast<int>(error.fault());
}
