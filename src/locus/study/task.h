// Tasks that are generated, each asking something else of position. An example is a function of its random
// numbers and length alone: every scheme sees the same ones in the same order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/base/random.h"
#include "locus/kernel/loss.h"
#include "locus/nn/blueprint.h"

namespace locus::study {

inline constexpr int32_t kNothingAsked = kernel::kIgnoredTarget;

struct Example {
  std::vector<int32_t> ids;
  std::vector<int32_t> targets;  // one for every token; kNothingAsked where nothing is
};

enum class Metric { accuracy, perplexity };

struct Task {
  std::string_view name;
  std::string_view summary;   // what it asks, one line
  std::string_view position;  // what it asks of position
  bool needs_order = true;    // false: the answer is the same in any order
  ModelKind kind = ModelKind::decoder;
  Metric metric = Metric::accuracy;
  int32_t vocabulary = 0;
  int64_t shortest = 2;  // example that asks something
  int64_t effort = 1;    // times the study's steps, for what is learned late
  std::function<Example(int64_t length, const Random& random)> make;
};

// An explicit list, in the order it is shown; the first is the headline.
std::span<const Task* const> tasks();
const Task& task(std::string_view name);  // unknown: an error with the nearest known name

// The next byte of a file's text, the last tenth of it kept for the test. Named "text".
Task text_task(const std::filesystem::path& file);

// Of which list an example is: the lowest bit of its stream of random numbers says it.
enum class List : uint64_t { training, test };
inline List list_of(const Random& random) { return static_cast<List>(random.stream() & 1); }

}  // namespace locus::study
