// Tasks about contents: a value by its key, and the most frequent symbol, which needs no position at all.
//   recall     k1 v1 k2 v2 .. k?  -> v of the key; asked again and again in the second half of the text
//   majority   a row of two symbols -> at every place the more frequent one of the whole row

#include "locus/study/task.h"

namespace locus::study {
namespace {

constexpr int32_t kKeys = 16, kValues = 16;

// Pairs of a key and its value. Keys come in any order and again; a value is asked for wherever its key was
// told before.
Example recall(int64_t length, const Random& random) {
  std::vector<int32_t> value_of(kKeys, -1);
  Example example;
  bool asked = false;
  for (uint64_t pair = 0; static_cast<int64_t>(example.ids.size()) < length; ++pair) {
    auto key = static_cast<size_t>(random.below(2 * pair, kKeys));
    const bool last = static_cast<int64_t>(example.ids.size()) + 2 >= length;
    if (last && !asked && pair > 0) key = static_cast<size_t>(example.ids[0]);  // no text without a question
    const bool known = value_of[key] >= 0;
    asked |= known;
    if (!known) value_of[key] = kKeys + static_cast<int32_t>(random.below(2 * pair + 1, kValues));
    example.ids.insert(example.ids.end(), {static_cast<int32_t>(key), value_of[key]});
    example.targets.insert(example.targets.end(), {known ? value_of[key] : kNothingAsked, kNothingAsked});
  }
  example.ids.resize(static_cast<size_t>(length));
  example.targets.resize(static_cast<size_t>(length));
  return example;
}

Example majority(int64_t length, const Random& random) {
  Example example;
  // A row is drawn around its own share of ones, so that rows are not all near a half.
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
    .summary = "say the value that was told behind a key",
    .position = "what stood right behind, however long ago",
    .kind = ModelKind::decoder,
    .vocabulary = kKeys + kValues,
    .shortest = 3,
    .effort = 3,
    .make = recall,
};

extern const Task kMajority = {
    .name = "majority",
    .summary = "say which of two symbols is the more frequent",
    .position = "nothing: the control",
    .needs_order = false,
    .kind = ModelKind::encoder,
    .vocabulary = 2,
    .make = majority,
};

}  // namespace locus::study
