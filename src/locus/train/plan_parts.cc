#include "locus/train/plan_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/run/run_settings.h"
#include "locus/run/saved_run.h"
#include "locus/run/task_frame.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/open_tokens.h"
#include "locus/train/task_samples.h"
#include "locus/train/text_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSections[] = {"model", "model.scheme", "model.global_scheme", "data", "train"};

// The size that remains after this fraction is split off, but at least one.
int64_t size_without(int64_t size, double fraction) {
  const auto cut = static_cast<int64_t>(std::llround(static_cast<double>(size) * fraction));
  return fraction > 0 ? std::max<int64_t>(size - std::max<int64_t>(cut, 1), 0) : size;
}

// Splits off the end of a list.
template <class T>
std::vector<T> split_off(std::vector<T>& list, double fraction) {
  const int64_t keep = size_without(std::ssize(list), fraction);
  std::vector<T> rest(std::make_move_iterator(list.begin() + keep), std::make_move_iterator(list.end()));
  list.resize(static_cast<size_t>(keep));
  return rest;
}

}  // namespace

void check_sections(const Settings& settings, std::vector<std::string>& problems) {
  for (const Setting& setting : settings.all()) {
    const size_t dot = setting.key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : setting.key.substr(0, dot);
    if (std::ranges::count(kSections, section) > 0 || is_scheme_key(setting.key)) continue;
    problems.push_back(fmt::format(
        "unknown key {}, expected one in [model], [model.scheme], [model.global_scheme], [data] or [train]{}",
        quote(setting.key), suggestion(section, kSections)));
  }
}

std::shared_ptr<const Tokenizer> open_tokenizer(const std::string& name) {
  if (name != "bytes") return load_tokenizer(name);
  return std::make_shared<ByteVocabulary>(std::vector<std::string>{kStartToken, kEndToken, kMaskToken});
}

void require_loss(HeadKind head) {
  if (head != HeadKind::none && head != HeadKind::embedding) return;
  fail({Fault::usage, Code::wrong_head},
       "[model] head none and embedding have no loss, expected a head that predicts tokens, labels or "
       "answers");
}

void resolve_path(std::string& name, const Settings& settings, const char* key, const fs::path& folder) {
  const Setting* setting = settings.find(key);
  if (setting == nullptr || name.empty() || name == "bytes") return;
  const bool in_file = setting->line > 0;  // otherwise from the command line
  const fs::path found = absolute_path(in_file ? folder / name : fs::path(name));
  const char* data = std::getenv("LOCUS_DATA");
  const fs::path other = data == nullptr ? fs::path() : absolute_path(data) / fs::path(name).filename();
  if (!is_there(found) && !is_there(other)) {
    fail({Fault::io, Code::missing_file, "set LOCUS_DATA to a folder that contains it"},
         "{} not found: '{}'{}", key, found.string(),
         data == nullptr ? "" : fmt::format(", nor '{}'", other.string()));
  }
  name = (is_there(found) ? found : other).string();
}

void resolve_start(std::string& from, const Settings& settings, const fs::path& folder) {
  constexpr const char* kExpected = "expected a Hugging Face model folder, a run, or a checkpoint of a run";
  const bool in_file = settings.find("model.from")->line > 0;
  const fs::path found = absolute_path(in_file ? folder / from : fs::path(from));
  if (!is_there(found)) {
    fail({Fault::io, Code::missing_file, download_hint(from)}, "model.from: no folder '{}', {}",
         found.string(), kExpected);
  }
  if (!is_there(found / "config.json") && !is_run(found)) {
    fail({Fault::data, Code::missing_file}, "model.from: '{}' {}, {}", found.string(),
         is_folder(found) ? "has no config.json and no checkpoint" : "is a file", kExpected);
  }
  from = found.string();
}

void resolve_data(DataSettings& data, const Settings& settings, const fs::path& folder) {
  resolve_path(data.train, settings, "data.train", folder);
  resolve_path(data.validation, settings, "data.validation", folder);
  resolve_path(data.tokenizer, settings, "data.tokenizer", folder);
}

void read_data(RunPlan& plan) {
  const TextTask& task = plan.task;
  const fs::path file = task.data.train;
  const double fraction = task.data.validation.empty() ? task.data.validation_split : 0;
  if (task.on_streams()) {
    const auto stream = open_tokens(file, *task.tokenizer);
    const int64_t keep = size_without(stream->size(), fraction);
    plan.training = window_samples(task, std::make_shared<StreamSlice>(stream, 0, keep));
    if (fraction > 0) {
      plan.validation = window_samples(task, std::make_shared<StreamSlice>(stream, keep, stream->size()));
    }
  } else {
    const std::string name = fmt::format("'{}'", file.string());
    std::vector<Sample> samples = example_samples(task, file);
    const size_t all = samples.size();
    if (fraction > 0) plan.validation = std::make_unique<ListedSamples>(split_off(samples, fraction), name);
    require(!samples.empty(),
            "no examples left for training in {}: data.validation_split is {} and the file has {}; lower the "
            "split, "
            "or set data.validation to a file",
            name, fraction, all == 1 ? "1 example" : fmt::format("{} examples", all));
    plan.training = std::make_unique<ListedSamples>(std::move(samples), name);
  }
  if (!task.data.validation.empty()) plan.validation = samples_of(task, task.data.validation);
}

Settings resolved(const RunPlan& plan) {
  Settings config;
  if (!plan.from.empty()) config.set("model.from", plan.from);
  for (const auto& [name, value] : values_of(plan.task.blueprint)) config.set("model." + name, value);
  for (const auto& [name, value] : field_values(plan.task.data)) config.set("data." + name, value);
  for (const auto& [name, value] : field_values(plan.train)) config.set("train." + name, value);
  return config;
}

}  // namespace locus
