// Synthetic tasks, each of which needs different position information. An example depends on its random
// numbers and its length alone, so every scheme sees the same examples in the same order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/random.h"
#include "locus/kernel/loss.h"
#include "locus/nn/blueprint.h"

namespace locus::study {

inline constexpr int32_t kIgnored = kernel::kIgnoredTarget;

struct Example {
  std::vector<int32_t> ids;
  std::vector<int32_t> targets;  // one per token; kIgnored: no loss at this token
};

enum class Metric { accuracy, perplexity };

// Of a user's text.
struct TextFacts {
  int64_t training_tokens = 0, test_tokens = 0;
  double bytes_per_token = 1;  // of the test part
  bool exact = true;           // the tokens decode to the bytes of the test part
  std::string identity;        // equal for equal texts and tokens
};

struct Task {
  std::string_view name;      // on the command line and in files
  std::string_view title;     // in reports
  std::string_view summary;   // what the model predicts, one line
  std::string_view example;   // an input and its target
  std::string_view position;  // the position information that it needs
  bool needs_order = true;    // false: the target is the same for any order of the tokens
  ModelKind kind = ModelKind::decoder;
  Metric metric = Metric::accuracy;
  int32_t vocabulary = 0;
  int64_t shortest = 2;  // the shortest example that has a target
  int64_t effort = 1;    // multiplies the study's steps, for tasks that are learned late
  std::function<Example(int64_t length, const Random& random)> make;
  std::optional<TextFacts> text = {};
};

// An explicit list, in the order of the report; the first task is the headline.
std::span<const Task* const> tasks();
const Task& task(std::string_view name);  // unknown name: an error with the nearest known name

// Next-token prediction on a file; the last tenth of the file is the test set. Its name is "text". The
// tokenizer is one that load_tokenizer() opens, or "learn:N": BPE of N tokens, learned from the training
// part.
Task text_task(const std::filesystem::path& file, const std::string& tokenizer);

// log2(perplexity) / bytes per token: unlike perplexity, comparable between tokenizers.
double bits_per_byte(const Task& text_task, double perplexity);

// Training or test set. The lowest bit of an example's random stream shows which.
enum class List : uint64_t { training, test };
inline List list_of(const Random& random) { return static_cast<List>(random.stream() & 1); }

}  // namespace locus::study
