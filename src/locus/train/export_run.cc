#include "locus/train/export_run.h"

#include <algorithm>

#include "locus/base/file.h"
#include "locus/base/folder.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/generation_config.h"
#include "locus/run/task_frame.h"
#include "locus/run/trained_model.h"
#include "locus/text/tokenizer_config.h"
#include "locus/text/tokenizer_files.h"
#include "locus/train/derived_model.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// The folder that a run started from, with its config.json. Nothing if the run started from scratch or from
// another run, if the folder no longer exists, or if the run has another scheme.
std::optional<Config> start_of(const SavedRun& saved) {
  const fs::path from = saved.start;
  if (from.empty() || !is_there(from / "config.json")) return std::nullopt;
  Config config = read_config(from);
  const Blueprint own = read_architecture(config).blueprint, &b = saved.model.blueprint();
  return same_scheme(own, b) && same_global_scheme(own, b) ? std::optional(std::move(config)) : std::nullopt;
}

// The start and end tokens that an encoder-decoder was trained with, as members of config.json and of
// generation_config.json.
json::Members learned_tokens(const Config& start, const TextTask& task) {
  if (!task.is_encoder_decoder()) return {};
  json::Members members = {{"decoder_start_token_id", json::number(task.data.start_token)}};
  if (!task.on_pairs()) return members;
  const int32_t end = end_token(task);
  const GenerationConfig before = read_generation(start.path().parent_path(), start, task.blueprint);
  if (std::ranges::count(before.end_tokens, end) == 0) {
    members.emplace_back("eos_token_id", json::number(int64_t{end}));
  }
  return members;
}

// The changes to config.json if the head or its labels are not the folder's own.
json::Members new_head(const Config& start, const TextTask& task) {
  const bool own = task.blueprint.head.kind == read_architecture(start).blueprint.head.kind &&
                   (task.labels.empty() || task.labels == named_labels(start));
  return own ? json::Members() : head_members(start, task.blueprint.head.kind, task.labels);
}

// The members of config.json that the run changed: the dropout rates.
json::Members changed_fields(const Family& family, Blueprint before, Blueprint after) {
  json::Members old_members, members;
  ConfigFields old_fields(old_members), fields(members);
  family.fields(old_fields, before);
  family.fields(fields, after);
  std::erase_if(members, [&](const auto& member) { return std::ranges::count(old_members, member) > 0; });
  return members;
}

// The tokens that the run puts around a text, if its tokenizer does not add them.
FrameTokens frame_tokens(const TextTask& task) {
  const TextFrame frame = frame_of(task);
  if (frame.from_tokenizer) return {};
  return {.start = frame.start, .between = frame.between, .end = frame.end};
}

FolderContents contents_of(const TextTask& task) {
  FolderContents contents = {.tokenizer = task.tokenizer.get(),
                             .frame = frame_tokens(task),
                             .pair_segments = task.data.pair_segments,
                             .labels = task.labels};
  if (task.is_encoder_decoder()) contents.start_token = static_cast<int32_t>(task.data.start_token);
  if (task.blueprint.head.kind == HeadKind::next_token) contents.end_tokens = end_tokens(task);
  return contents;
}

// The tokenizer that the run used: that of the start folder, or another one in its place.
void write_start_tokenizer(const TextTask& task, const fs::path& from, const fs::path& to) {
  const Blueprint& b = task.blueprint;
  const FolderContents contents = contents_of(task);
  const fs::path config = to / kTokenizerConfigFile;
  if (task.data.tokenizer != from.string() || !contents.frame.empty()) {
    // Tokenizer files of the start folder could be loaded instead of the saved ones.
    for (const std::string& name : tokenizer_files(to)) remove_whole(to / name);
    for (const char* name : {kTokenizerConfigFile, "special_tokens_map.json", "added_tokens.json"}) {
      remove_whole(to / name);
    }
    write_tokenizer(contents, b, to);
  } else if (const std::string text = tokenizer_config_text(to);
             b.embedding.segments > 1 && has_segments(Config(text, config)) != task.data.pair_segments) {
    write_file(config, changed_config(text, config, model_inputs(task.data.pair_segments)));
  }
}

void write_like_start(const SavedRun& saved, const Config& start, const fs::path& to) {
  const TextTask& task = saved.task;
  const fs::path from = start.path().parent_path();
  const json::Members tokens = learned_tokens(start, task);
  json::Members changes = new_head(start, task);
  changes.insert(changes.end(), tokens.begin(), tokens.end());
  const Architecture own = read_architecture(start);
  const Family& family = *own.family;
  for (auto& member : changed_fields(family, own.blueprint, task.blueprint))
    changes.push_back(std::move(member));
  write_model(from, tensors_of(bindings_of(family, task.blueprint, saved.model.parameters())), to, changes);
  const fs::path generation = to / "generation_config.json";
  if (!tokens.empty() && is_there(generation)) write_file(generation, changed_config(generation, tokens));
  write_start_tokenizer(task, from, to);
}

void write_export(const SavedRun& saved, const fs::path& to) {
  if (const std::optional<Config> start = start_of(saved)) return write_like_start(saved, *start, to);
  write_model(saved.model, contents_of(saved.task), to);
}

}  // namespace

void export_run(const SavedRun& saved, const fs::path& to) {
  write_folder(to, [&](const fs::path& unfinished) { write_export(saved, unfinished); });
}

TemporaryExport::TemporaryExport(const SavedRun& saved, const fs::path& place)
    : path_(absolute_path(place).concat(".export.part")) {
  remove_whole(path_);
  export_run(saved, path_);
}

TemporaryExport::~TemporaryExport() {
  std::error_code ignored;  // a destructor reports nothing
  fs::remove_all(path_, ignored);
}

fs::path save_hub_folder(const SavedRun& saved, const fs::path& run) {
  const fs::path hub = run / "hub", unfinished = run / "hub.new.part";
  remove_whole(unfinished);
  make_folder(unfinished);
  try {
    write_export(saved, unfinished);
  } catch (...) {
    std::error_code ignored;  // report the first error, not this one
    fs::remove_all(unfinished, ignored);
    throw;
  }
  discard_folder(hub);
  publish_folder(unfinished, hub);
  return hub;
}

}  // namespace locus
