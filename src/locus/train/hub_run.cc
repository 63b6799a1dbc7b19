#include "locus/train/hub_run.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/folder.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/generation_config.h"
#include "locus/text/pipeline/pipeline_files.h"
#include "locus/train/text_frame.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

std::string name_of(HeadKind head) { return field_values(HubStart{.head = head}).at("head"); }

void check_head(const fs::path& from, const Family& family, HeadKind head) {
  std::vector<std::string> names;
  for (const HeadKind one : family.heads) {
    if (one != HeadKind::none) names.push_back(name_of(one));
  }
  if (std::ranges::count(names, name_of(head)) > 0) return;
  fail(Fault::usage, "model.head is {}, but the model in '{}' is trained with {}; set it to {}",
       name_of(head), from.string(), fmt::join(names, ", "), names.size() == 1 ? "this" : "one of these");
}

// What an encoder-decoder learned to begin and to end with, as config.json and generation_config.json say it.
json::Members learned_tokens(const ModelFolder& start, const TextTask& task) {
  if (!task.in_two_parts()) return {};
  json::Members members = {{"decoder_start_token_id", json::number(task.data.start_token)}};
  if (!task.on_pairs()) return members;
  const int32_t end = end_token(task);
  if (std::ranges::count(read_generation(start).end_tokens, end) == 0) {
    members.emplace_back("eos_token_id", json::number(int64_t{end}));
  }
  return members;
}

// The task's labels become the folder's, in their order, if those are among them.
bool takes_labels(const std::vector<std::string>& own, TextTask& task, std::string& unknown) {
  const auto missing = std::ranges::find_if(
      task.labels, [&](const std::string& name) { return std::ranges::count(own, name) == 0; });
  if (missing != task.labels.end()) {
    unknown = *missing;
    return false;
  }
  if (!task.labels.empty()) task.labels = own;
  return true;
}

ModelFolder open_with_head(const fs::path& from, std::optional<HeadKind> asked, TextTask& task) {
  const Config config = read_config(from);
  const Architecture own = read_architecture(config);
  const HeadKind head = asked.value_or(own.blueprint.head);
  check_head(from, *own.family, head);
  task.labels = label_names(head, task.data.train);
  if (head == own.blueprint.head) {
    const std::vector<std::string> names = named_labels(config);
    std::string unknown;
    if (takes_labels(names, task, unknown)) return open_model(from);
    require(asked.has_value(),
            "'{}': the label {} is none of those that the model in '{}' tells ({}); set model.head for a new "
            "head",
            task.data.train, quote(unknown), from.string(), fmt::join(names, ", "));
  }
  return open_model(from, NewHead{.kind = head, .labels = task.labels, .seed = task.seed});
}

}  // namespace

ModelFolder open_start(const fs::path& from, std::optional<HeadKind> asked, TextTask& task) {
  ModelFolder start = open_with_head(from, asked, task);
  task.blueprint = start.architecture.blueprint;
  require(scheme_info(task.blueprint.scheme).extrapolates || task.data.context <= task.blueprint.max_length,
          "data.context is {}, but the model in '{}' has positions for {} tokens", task.data.context,
          from.string(), task.blueprint.max_length);
  return start;
}

fs::path save_hub_folder(const ModelFolder& start, const SavedRun& saved, const fs::path& run) {
  const fs::path hub = run / "hub", unfinished = run / "hub.new.part";
  remove_whole(unfinished);
  make_folder(unfinished);
  const Architecture& architecture = start.architecture;
  const json::Members tokens = learned_tokens(start, saved.task);
  write_model(start,
              tensors_of(bindings_of(*architecture.family, architecture.blueprint, saved.model.parameters())),
              unfinished, tokens);
  const fs::path generation = unfinished / "generation_config.json";
  if (!tokens.empty() && is_there(generation)) write_file(generation, changed_config(generation, tokens));
  if (saved.task.data.tokenizer != start.path.string()) {
    // Beside it, the start's own might be the one that is opened.
    for (const char* name : kTokenizerFiles) remove_whole(unfinished / name);
    saved.task.tokenizer->save(unfinished);
  }
  discard_folder(hub);
  publish_folder(unfinished, hub);
  return hub;
}

}  // namespace locus
