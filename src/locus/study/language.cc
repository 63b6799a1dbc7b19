// A synthetic language with local and long-range structure; all texts share one small grammar.
//   words   the next word depends on the last word and on the parity of the word before it: a model must
//           separate the two
//   names   each text has a name, which follows the mark at its start; after every later mark the same name
//           follows, at any distance
// For an encoder one word in seven is masked.
#include <array>

#include "locus/study/task.h"

namespace locus::study {
namespace {

constexpr int32_t kWords = 40, kNames = 8, kMark = kWords + kNames, kMasked = kMark + 1;
constexpr int32_t kTokens = kMasked + 1;
constexpr uint64_t kGrammar = 20170612;
// Probabilities of the four words that can follow a pair.
constexpr std::array kChances = {0.6f, 0.2f, 0.12f, 0.08f};
constexpr float kMarkChance = 1.0f / 12, kMaskChance = 1.0f / 7;

int32_t follower(int32_t last, int32_t before, float u) {
  uint64_t choice = 0;
  for (float left = u; choice + 1 < kChances.size() && left >= kChances[choice]; ++choice)
    left -= kChances[choice];
  const uint64_t row = static_cast<uint64_t>(last) * 2 + static_cast<uint64_t>(before % 2);
  return static_cast<int32_t>(Random(kGrammar, 0).below(row * kChances.size() + choice, kWords));
}

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
  targets[0] = kIgnored;  // the name itself cannot be predicted
  ids.pop_back();
  return {std::move(ids), std::move(targets)};
}

Example masked_word(int64_t length, const Random& random) {
  Example example{text(length, random), {}};
  const Random mask(random.seed(), ~random.stream());
  example.targets.assign(example.ids.size(), kIgnored);
  for (size_t i = 0; i < example.ids.size(); ++i) {
    // The last token is always masked, so that every example has a target.
    if (mask.uniform(i) >= kMaskChance && i + 1 < example.ids.size()) continue;
    example.targets[i] = std::exchange(example.ids[i], kMasked);
  }
  return example;
}

}  // namespace

extern const Task kLanguage = {
    .name = "language",
    .title = "Language modeling",
    .summary = "predict the next word of a synthetic text with local grammar and a name given at its start",
    .example = "* Ada red fox ran far * \u2192 Ada",
    .position = "the order of the last two words; the name after the first *, at any distance",
    .kind = ModelKind::decoder,
    .metric = Metric::perplexity,
    .vocabulary = kTokens,
    .make = next_word,
};

extern const Task kMaskedLanguage = {
    .name = "masked-language",
    .title = "Masked language modeling",
    .summary = "fill in masked words of the same kind of text, with attention in both directions",
    .example = "* Ada red [mask] ran far \u2192 fox",
    .position = "which neighbor comes before and which after",
    .kind = ModelKind::encoder,
    .metric = Metric::perplexity,
    .vocabulary = kTokens,
    .make = masked_word,
};

}  // namespace locus::study
