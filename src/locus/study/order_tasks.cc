// Tasks on random symbols that depend on their order.
//   back      x1 x2 x3 ..          -> at every token the symbol before it
//   copy      x1 .. xn | x1 .. xn  -> the second half
//   reverse   x1 .. xn | xn .. x1  -> the second half
// In copy and reverse a symbol does not repeat within 16 tokens, so a model can also find its place by the
// symbol it just wrote.
#include <algorithm>

#include "locus/study/task.h"

namespace locus::study {
namespace {

constexpr int32_t kSymbols = 32, kBar = kSymbols, kVocabulary = kSymbols + 1;
constexpr int64_t kNoRepeat = 16;

Example back(int64_t length, const Random& random) {
  Example example;
  for (int64_t i = 0; i < length; ++i) {
    example.ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(i), kSymbols)));
    example.targets.push_back(i == 0 ? kIgnored : example.ids[static_cast<size_t>(i - 1)]);
  }
  if (length == 1) example.targets.back() = example.ids.front();
  return example;
}

std::vector<int32_t> symbols(int64_t count, const Random& random) {
  std::vector<int32_t> list;
  uint64_t draw = 0;
  while (static_cast<int64_t>(list.size()) < count) {
    const auto next = static_cast<int32_t>(random.below(draw++, kSymbols));
    const auto recent = list.end() - std::min<int64_t>(kNoRepeat, static_cast<int64_t>(list.size()));
    if (std::find(recent, list.end(), next) == list.end()) list.push_back(next);
  }
  return list;
}

// x1 .. xn | y1 .. y(n-1), with the targets y1 .. yn from the bar on. An odd length has one more x.
Example repeated(int64_t length, const Random& random, bool backwards) {
  const int64_t outputs = length / 2, inputs = length - outputs;
  std::vector<int32_t> first = symbols(inputs, random), second = first;
  if (backwards) std::ranges::reverse(second);
  Example example{first, std::vector<int32_t>(first.size(), kIgnored)};
  for (int64_t i = 0; i < outputs; ++i) {
    example.ids.push_back(i == 0 ? kBar : second[static_cast<size_t>(i - 1)]);
    example.targets.push_back(second[static_cast<size_t>(i)]);
  }
  return example;
}

Example copy(int64_t length, const Random& random) { return repeated(length, random, false); }
Example reverse(int64_t length, const Random& random) { return repeated(length, random, true); }

}  // namespace

extern const Task kBack = {
    .name = "back",
    .title = "Copy the previous token, decoder",
    .summary = "predict the previous token at every position",
    .example = "A B C D \u2192 . A B C",
    .position = "a fixed distance, in one direction",
    .kind = ModelKind::decoder,
    .vocabulary = kVocabulary,
    .make = back,
};

extern const Task kBackEncoder = {
    .name = "back-encoder",
    .title = "Copy the previous token, encoder",
    .summary = "predict the previous token at every position, with attention in both directions",
    .example = "A B C D \u2192 . A B C",
    .position = "a fixed distance and its direction: only position separates before from after",
    .kind = ModelKind::encoder,
    .vocabulary = kVocabulary,
    .make = back,
};

extern const Task kCopy = {
    .name = "copy",
    .title = "Copy a sequence",
    .summary = "repeat a sequence of symbols in the same order",
    .example = "A B C | \u2192 A B C",
    .position = "a distance that grows with the text, or the symbol after the one just written",
    .kind = ModelKind::decoder,
    .vocabulary = kVocabulary,
    .effort = 3,
    .make = copy,
};

extern const Task kReverse = {
    .name = "reverse",
    .title = "Reverse a sequence",
    .summary = "repeat a sequence of symbols in reverse order",
    .example = "A B C | \u2192 C B A",
    .position = "a distance that grows with every token, or the symbol before the one just written",
    .kind = ModelKind::decoder,
    .vocabulary = kVocabulary,
    .effort = 3,
    .make = reverse,
};

}  // namespace locus::study
