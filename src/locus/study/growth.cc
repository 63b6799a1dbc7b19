#include "locus/study/growth.h"

#include <algorithm>

#include "locus/base/settings.h"

namespace locus::study {
namespace {

// A list as the user wrote it, which may be "all", and the names in it.
struct NameList {
  std::string text;
  std::vector<std::string> names;

  bool has_all(const NameList& other) const {
    return std::ranges::all_of(other.names,
                               [&](const std::string& name) { return std::ranges::count(names, name) > 0; });
  }
};

NameList schemes_of(const Study& study) {
  NameList list{study.schemes, {}};
  for (const SchemeChoice& choice : study.scheme_list()) list.names.push_back(choice.word());
  return list;
}

NameList tasks_of(const Study& study) {
  NameList list{study.tasks, {}};
  for (const Task* task : study.task_list()) {
    if (!task->text) list.names.emplace_back(task->name);
  }
  return list;
}

std::string united(const NameList& existing, const NameList& wanted) {
  if (wanted.has_all(existing)) return wanted.text;
  std::vector<std::string> names = existing.names;
  for (const std::string& name : wanted.names) {
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names.size() == existing.names.size() ? existing.text : fmt::format("{}", fmt::join(names, ", "));
}

std::string united_lengths(const Conditions& existing, const Conditions& wanted) {
  std::vector<int64_t> all = existing.test_lengths();
  const std::vector<int64_t> more = wanted.test_lengths();
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

Study grown(const Study& existing, const Study& wanted, const std::filesystem::path& folder) {
  Study both = wanted;
  both.schemes = united(schemes_of(existing), schemes_of(wanted));
  both.tasks = united(tasks_of(existing), tasks_of(wanted));
  both.seeds = std::max(existing.seeds, wanted.seeds);
  both.conditions.lengths = united_lengths(existing.conditions, wanted.conditions);
  if (both.text.empty()) both.text = existing.text;
  Study before = existing;
  before.schemes = both.schemes;
  before.tasks = both.tasks;
  before.seeds = both.seeds;
  before.conditions.lengths = both.conditions.lengths;
  before.text = both.text;  // the text is identified by its contents, and so are its tokens
  if (existing.text.empty()) before.tokenizer = both.tokenizer;
  std::vector<std::string> found;
  for (const SettingChange& change : differences(settings_of(before), settings_of(both))) {
    found.push_back(change.text());
  }
  if (found.empty()) return both;
  fail({Fault::usage, Code::run_mismatch},
       "'{}' contains a study with other settings; use the same settings or choose another folder\n  {}",
       folder.string(), fmt::join(found, "\n  "));
}

Work work_left(const Study& study, const std::filesystem::path& folder) {
  Work work;
  for (const CellName& name : study.cells()) {
    const std::optional<Cell> cell = find_cell(study, folder, name);
    ++(!cell ? work.to_train : has_all_lengths(study, *cell) ? work.found : work.to_test);
  }
  return work;
}

}  // namespace locus::study
