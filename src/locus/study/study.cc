#include "locus/study/study.h"

#include "locus/base/file.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/base/trim.h"
#include "locus/study/study_folder.h"

namespace locus::study {
namespace {

// The words of a list without repeats, in the user's order. The word "all" means all names.
template <class T>
std::vector<std::string_view> words_of(std::string_view list, std::span<const T* const> all) {
  std::vector<std::string_view> words;
  const auto add = [&](std::string_view word) {
    if (!word.empty() && std::ranges::count(words, word) == 0) words.push_back(word);
  };
  for (const std::string_view word : split(list, ',')) {
    if (word != "all") {
      add(word);
      continue;
    }
    for (const T* one : all) add(one->name);
  }
  return words;
}

}  // namespace

std::vector<const Task*> Study::task_list() const {
  std::vector<const Task*> list;
  for (const std::string_view word : words_of(tasks, study::tasks())) list.push_back(&task(word));
  if (!text.empty()) {
    const std::pair key(text, tokenizer);
    if (!text_task_ || text_task_->first != key) {
      text_task_ = std::make_shared<const NamedTask>(key, text_task(text, tokenizer));
    }
    list.insert(list.begin(), &text_task_->second);
  }
  return list;
}

std::vector<SchemeChoice> Study::scheme_list() const {
  std::vector<SchemeChoice> list;
  for (const std::string_view word : words_of(schemes, locus::schemes())) {
    SchemeChoice choice = scheme_choice(word);
    const auto same = [&](const SchemeChoice& other) { return other.word() == choice.word(); };
    if (std::ranges::none_of(list, same)) list.push_back(std::move(choice));
  }
  return list;
}

const Task& Study::task_named(std::string_view name) const {
  for (const Task* task : task_list()) {
    if (task->name == name) return *task;
  }
  return task(name);
}

std::vector<CellName> Study::cells() const {
  std::vector<CellName> list;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    for (const Task* task : task_list()) {
      for (const SchemeChoice& scheme : scheme_list()) {
        list.push_back({std::string(task->name), scheme.word(), seed});
      }
    }
  }
  return list;
}

void check(const Study& study) {
  std::vector<std::string> found;
  {
    Study copy;
    found = read_fields(copy, field_values(study));
  }
  const auto note = [&](const auto& test) {
    try {
      test();
    } catch (const Error& error) {
      if (error.fault() == Fault::io) throw;  // a missing file is not a problem of the settings
      found.emplace_back(error.what());
    }
  };
  note([&] { require(!study.task_list().empty(), "no tasks in the study, expected at least one"); });
  note([&] { require(!study.scheme_list().empty(), "no schemes in the study, expected at least one"); });
  note([&] { study.conditions.test_lengths(); });
  if (study.text.empty() && study.tokenizer != Study().tokenizer) {
    found.push_back(fmt::format("tokenizer is {}, but the study has no text", quote(study.tokenizer)));
  }
  refuse("study", found);
  if (!study.text.empty()) {  // it may be too short for the longest examples
    const Task& text = *study.task_list().front();
    const auto example = [&](int64_t length, List list) {
      note([&] { text.make(length, Random(1, static_cast<uint64_t>(list))); });
    };
    example(study.conditions.length, List::training);
    example(study.conditions.test_lengths().back(), List::test);
  }
  for (const Task* task : study.task_list()) {
    for (const int64_t length : study.conditions.test_lengths()) {
      if (std::min(length, study.conditions.length) >= task->shortest) continue;
      found.push_back(fmt::format("length too short for the task {}: got {} tokens, expected at least {}",
                                  task->name, std::min(length, study.conditions.length), task->shortest));
    }
    for (const std::string& problem : problems(blueprint(study.conditions, *task, "none")))
      found.push_back(problem);
  }
  refuse("study", found);
  for (const SchemeChoice& choice : study.scheme_list()) {  // options that do not fit together
    if (choice.options.empty()) continue;
    const Task& task = *study.task_list().front();
    note([&] { Model(blueprint(study.conditions, task, choice.word()), {.seed = std::nullopt}); });
  }
  refuse("study", found);
}

Study study_of(const Settings& settings, const std::string& name) {
  Study study;
  std::vector<std::string> names;
  for (const Field& field : fields_of(study)) names.emplace_back(field.spec.name);
  settings.require_known(std::vector<std::string_view>(names.begin(), names.end()));
  refuse(name, read_fields(study, settings.section("")));
  return study;
}

Study read_study(const std::filesystem::path& file) {
  Study study = study_of(Settings::read(file), file.string());
  // Relative to the file, as in a training run; the study.toml of a folder has absolute paths.
  const std::filesystem::path beside = file.parent_path();
  if (!study.text.empty()) study.text = absolute_path(beside / study.text).string();
  if (is_there(beside / study.tokenizer)) study.tokenizer = absolute_path(beside / study.tokenizer).string();
  return study;
}

std::optional<Study> study_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kStudyFile;
  return is_there(file) ? std::optional(read_study(file)) : std::nullopt;
}

Settings settings_of(const Study& study) {
  Settings settings;
  for (const auto& [name, value] : field_values(study)) settings.set(name, value);
  settings.set("lengths", fmt::format("{}", fmt::join(study.conditions.test_lengths(), ", ")));
  return settings;
}

std::string study_toml(const Study& study) { return settings_of(study).toml(); }

}  // namespace locus::study
