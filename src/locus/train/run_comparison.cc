#include "locus/train/run_comparison.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/paths.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

bool has_contents(const fs::path& file, const std::string& contents) {
  return is_there(file) && read_file(file, uint64_t{1} << 40) == contents;
}

bool may_change(const TrainJob& job, const std::string& file) {
  return job.continuation && std::ranges::count(job.continuation->data_files, file) > 0;
}

std::string line_of(const std::string& contents) { return contents.substr(0, contents.find('\n')); }

}  // namespace

std::vector<SettingChange> config_changes(const TrainJob& job, const fs::path& checkpoint) {
  Settings before = Settings::read(checkpoint / "config.toml");
  for (const std::string& name : job.free_settings) {
    const Setting* now = job.config.find(name);
    if (now != nullptr && before.find(name) != nullptr) before.set(name, now->value);
  }
  return differences(before, job.config);
}

void refuse_changes(const TrainJob& job, const std::vector<SettingChange>& changes) {
  if (changes.empty()) return;
  std::vector<std::string> lines;
  for (const SettingChange& change : changes) lines.push_back(change.text());
  fail({Fault::usage, Code::run_mismatch},
       "'{}' contains a run with another configuration; use the same configuration or another folder\n  {}",
       job.folder->path().string(), fmt::join(lines, "\n  "));
}

void check_files(const TrainJob& job, const fs::path& checkpoint) {
  for (const auto& [name, contents] : job.files) {
    if (has_contents(checkpoint / name, contents)) continue;
    fail({Fault::usage, Code::run_mismatch},
         "'{}' contains a run with other data: {} differs; use the same data or another folder",
         job.folder->path().string(), name);
  }
}

std::vector<RunChange> all_changes(const TrainJob& job, const fs::path& checkpoint,
                                   const std::vector<SettingChange>& settings) {
  std::vector<RunChange> changes;
  const int64_t step = read_state(checkpoint).step;
  for (const SettingChange& change : settings) {
    changes.push_back({step, change.key, change.before.value_or(""), change.after.value_or("")});
  }
  for (const auto& [name, contents] : job.files) {
    const fs::path saved = checkpoint / name;
    if (has_contents(saved, contents)) continue;
    if (!may_change(job, name)) {
      fail(Fault::usage,
           "'{}' cannot be continued with another {}: the ids that the model learned would have another "
           "meaning",
           checkpoint.string(), name);
    }
    changes.push_back({step, name, is_there(saved) ? line_of(read_file(saved)) : "", line_of(contents)});
  }
  if (!job.continuation) return changes;
  for (const std::string& name : job.continuation->data_files) {
    const bool present = std::ranges::count(job.files, name, &std::pair<std::string, std::string>::first) > 0;
    if (present || !is_there(checkpoint / name)) continue;
    changes.push_back({step, name, line_of(read_file(checkpoint / name)), ""});
  }
  return changes;
}

}  // namespace locus
