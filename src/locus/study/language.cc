// A text with local and long structure, from a small grammar that is the same for all texts.
//   words   the next word depends on the last one, and on whether the word before that was even or odd: a
//           model must tell the two apart
//   names   each text has a name, told at its start behind the mark; whenever the mark comes again, the name
//           follows, however long ago it was told
// Masked, for an encoder: one word in seven is hidden and asked for.
#include <array>

#include "locus/study/task.h"

namespace locus::study {
namespace {

constexpr int32_t kWords = 40, kNames = 8, kMark = kWords + kNames, kHidden = kMark + 1;
constexpr int32_t kTokens = kHidden + 1;
constexpr uint64_t kGrammar = 20170612;
// Of the four words that may follow a pair.
constexpr std::array kChances = {0.6f, 0.2f, 0.12f, 0.08f};
constexpr float kMarkChance = 1.0f / 12, kHideChance = 1.0f / 7;

int32_t follower(int32_t last, int32_t before, float u) {
  uint64_t choice = 0;
  for (float left = u; choice + 1 < kChances.size() && left >= kChances[choice]; ++choice)
    left -= kChances[choice];
  const uint64_t row = static_cast<uint64_t>(last) * 2 + static_cast<uint64_t>(before % 2);
  return static_cast<int32_t>(Random(kGrammar, 0).below(row * kChances.size() + choice, kWords));
}

// `length` tokens.
std::vector<int32_t> text(int64_t length, const Random& random) {
  uint64_t draw = 0;
  const int32_t name = kWords + static_cast<int32_t>(random.below(draw++, kNames));
  std::vector<int32_t> ids = {kMark, name};
  int32_t last = static_cast<int32_t>(random.below(draw++, kWords)), before = last;
  while (static_cast<int64_t>(ids.size()) < length) {
    if (random.uniform(draw++) < kMarkChance) {
      ids.insert(ids.end(), {kMark, name});
      continue;
    }
    const int32_t next = follower(last, before, random.uniform(draw++));
    ids.push_back(next);
    before = std::exchange(last, next);
  }
  ids.resize(static_cast<size_t>(length));
  return ids;
}

Example next_word(int64_t length, const Random& random) {
  std::vector<int32_t> ids = text(length + 1, random);
  std::vector<int32_t> targets(ids.begin() + 1, ids.end());
  targets[0] = kNothingAsked;  // the name itself: nothing tells it
  ids.pop_back();
  return {std::move(ids), std::move(targets)};
}

Example hidden_word(int64_t length, const Random& random) {
  Example example{text(length, random), {}};
  const Random hide(random.seed(), ~random.stream());
  example.targets.assign(example.ids.size(), kNothingAsked);
  for (size_t i = 0; i < example.ids.size(); ++i) {
    // The last token is asked for in any case: no example is without a question.
    if (hide.uniform(i) >= kHideChance && i + 1 < example.ids.size()) continue;
    example.targets[i] = std::exchange(example.ids[i], kHidden);
  }
  return example;
}

}  // namespace

extern const Task kLanguage = {
    .name = "language",
    .summary = "predict the next word of a text with local grammar and a name told at its start",
    .position = "order of the last two words; what followed the mark, however long ago",
    .kind = ModelKind::decoder,
    .metric = Metric::perplexity,
    .vocabulary = kTokens,
    .make = next_word,
};

extern const Task kMaskedLanguage = {
    .name = "masked-language",
    .summary = "fill in hidden words of the same text, seeing both sides",
    .position = "which neighbour stands where",
    .kind = ModelKind::encoder,
    .metric = Metric::perplexity,
    .vocabulary = kTokens,
    .make = hidden_word,
};

}  // namespace locus::study
