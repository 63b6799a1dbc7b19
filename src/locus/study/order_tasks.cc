// Tasks about order over random symbols: the one before, the text again, the text backwards.
//   back      x1 x2 x3 ..          -> at every place the symbol just before
//   copy      x1 .. xn | x1 .. xn  -> the second half
//   reverse   x1 .. xn | xn .. x1  -> the second half
// Symbols of copy and reverse do not repeat within 16 neighbours, so that a model may also find its place by
// what it just wrote.
#include <algorithm>

#include "locus/study/task.h"

namespace locus::study {
namespace {

constexpr int32_t kSymbols = 32, kBar = kSymbols, kVocabulary = kSymbols + 1;
constexpr int64_t kApart = 16;

Example back(int64_t length, const Random& random) {
  Example example;
  for (int64_t i = 0; i < length; ++i) {
    example.ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(i), kSymbols)));
    example.targets.push_back(i == 0 ? kNothingAsked : example.ids[static_cast<size_t>(i - 1)]);
  }
  if (length == 1) example.targets.back() = example.ids.front();
  return example;
}

std::vector<int32_t> symbols(int64_t count, const Random& random) {
  std::vector<int32_t> list;
  uint64_t draw = 0;
  while (static_cast<int64_t>(list.size()) < count) {
    const auto next = static_cast<int32_t>(random.below(draw++, kSymbols));
    const auto recent = list.end() - std::min<int64_t>(kApart, static_cast<int64_t>(list.size()));
    if (std::find(recent, list.end(), next) == list.end()) list.push_back(next);
  }
  return list;
}

// x1 .. xn | y1 .. y(n-1), asking for y1 .. yn from the bar on. A length that leaves one over has one more x.
Example written_again(int64_t length, const Random& random, bool backwards) {
  const int64_t asked = length / 2, told = length - asked;
  std::vector<int32_t> first = symbols(told, random), second = first;
  if (backwards) std::ranges::reverse(second);
  Example example{first, std::vector<int32_t>(first.size(), kNothingAsked)};
  for (int64_t i = 0; i < asked; ++i) {
    example.ids.push_back(i == 0 ? kBar : second[static_cast<size_t>(i - 1)]);
    example.targets.push_back(second[static_cast<size_t>(i)]);
  }
  return example;
}

Example copy(int64_t length, const Random& random) { return written_again(length, random, false); }
Example reverse(int64_t length, const Random& random) { return written_again(length, random, true); }

}  // namespace

extern const Task kBack = {
    .name = "back",
    .summary = "say at every place which symbol stood just before",
    .position = "a fixed distance, read in one direction",
    .kind = ModelKind::decoder,
    .vocabulary = kVocabulary,
    .make = back,
};

extern const Task kBackEncoder = {
    .name = "back-encoder",
    .summary =
        "say at every place which symbol stood just before, seeing both sides: without position nothing "
        "tells before from after",
    .position = "a fixed distance and its direction",
    .kind = ModelKind::encoder,
    .vocabulary = kVocabulary,
    .make = back,
};

extern const Task kCopy = {
    .name = "copy",
    .summary = "write a row of symbols again, in the same order",
    .position = "a distance that grows with the text, or the place found by what was just written",
    .kind = ModelKind::decoder,
    .vocabulary = kVocabulary,
    .effort = 3,
    .make = copy,
};

extern const Task kReverse = {
    .name = "reverse",
    .summary = "write a row of symbols again, backwards",
    .position = "distances that grow with every step, or the symbol before the one just written",
    .kind = ModelKind::decoder,
    .vocabulary = kVocabulary,
    .effort = 3,
    .make = reverse,
};

}  // namespace locus::study
