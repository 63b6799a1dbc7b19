// What changed in a run that was continued with other settings: changes.jsonl in its checkpoints.
//   {"step": 300, "setting": "train.steps", "before": "300", "after": "600"}
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace locus {

inline constexpr const char* kChangesFile = "changes.jsonl";

struct RunChange {
  int64_t step = 0;     // the last step before the change
  std::string setting;  // or the name of a data file whose contents changed
  std::string before, after;

  bool operator==(const RunChange&) const = default;
};

// The changes of a run until this checkpoint, oldest first.
std::vector<RunChange> read_changes(const std::filesystem::path& checkpoint);
std::string as_json(const RunChange& change);

// "train.steps: 300 -> 600"
std::string in_words(const RunChange& change);

}  // namespace locus
