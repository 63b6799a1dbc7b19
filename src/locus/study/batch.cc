#include "locus/study/batch.h"

namespace locus::study {

Batch batch(const Task& task, int64_t length, uint64_t seed, List list, int64_t first, int64_t count) {
  std::vector<int32_t> ids, targets;
  for (int64_t i = first; i < first + count; ++i) {
    const Example example =
        task.make(length, Random(seed, static_cast<uint64_t>(i) << 1 | static_cast<uint64_t>(list)));
    ids.insert(ids.end(), example.ids.begin(), example.ids.end());
    targets.insert(targets.end(), example.targets.begin(), example.targets.end());
  }
  return {{Indices::of(ids), Placement::rectangle(count, length), {}}, Indices::of(targets)};
}

}  // namespace locus::study
