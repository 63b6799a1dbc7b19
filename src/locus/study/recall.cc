// Tasks about content: a value by its key, and the most frequent symbol, which needs no position.
//   recall     k1 v1 k2 v2 .. k?  -> the value of the key, at every key that occurred before
//   majority   two symbols in any order -> at every token the more frequent symbol of the whole text
#include "locus/study/task.h"

namespace locus::study {
namespace {

constexpr int32_t kKeys = 16, kValues = 16;

// Pairs of a key and its value. Keys repeat in any order; the value is a target at every key but the first of
// its kind.
Example recall(int64_t length, const Random& random) {
  std::vector<int32_t> value_of(kKeys, -1);
  Example example;
  bool has_target = false;
  for (uint64_t pair = 0; static_cast<int64_t>(example.ids.size()) < length; ++pair) {
    auto key = static_cast<size_t>(random.below(2 * pair, kKeys));
    const bool last = static_cast<int64_t>(example.ids.size()) + 2 >= length;
    if (last && !has_target && pair > 0)
      key = static_cast<size_t>(example.ids[0]);  // every text has a target
    const bool known = value_of[key] >= 0;
    has_target |= known;
    if (!known) value_of[key] = kKeys + static_cast<int32_t>(random.below(2 * pair + 1, kValues));
    example.ids.insert(example.ids.end(), {static_cast<int32_t>(key), value_of[key]});
    example.targets.insert(example.targets.end(), {known ? value_of[key] : kIgnored, kIgnored});
  }
  example.ids.resize(static_cast<size_t>(length));
  example.targets.resize(static_cast<size_t>(length));
  return example;
}

Example majority(int64_t length, const Random& random) {
  Example example;
  // Every text has a random share of ones; with a fixed share all texts would be close to it.
  const float share = random.uniform(0);
  int64_t ones = 0;
  for (int64_t i = 0; i < length; ++i) {
    const bool one = random.uniform(static_cast<uint64_t>(i) + 1) < share;
    ones += one ? 1 : 0;
    example.ids.push_back(one ? 1 : 0);
  }
  example.targets.assign(example.ids.size(), 2 * ones > length ? 1 : 0);
  return example;
}

}  // namespace

extern const Task kRecall = {
    .name = "recall",
    .title = "Associative recall",
    .summary = "predict the value that followed a key earlier in the text",
    .example = "a 4 b 7 c 1 b \u2192 7",
    .position = "the token right after an earlier one, at any distance",
    .kind = ModelKind::decoder,
    .vocabulary = kKeys + kValues,
    .shortest = 3,
    .effort = 3,
    .make = recall,
};

extern const Task kMajority = {
    .name = "majority",
    .title = "Majority",
    .summary = "predict which of two symbols is more frequent",
    .example = "0 1 1 0 1 \u2192 1",
    .position = "nothing: the control",
    .needs_order = false,
    .kind = ModelKind::encoder,
    .vocabulary = 2,
    .make = majority,
};

}  // namespace locus::study
