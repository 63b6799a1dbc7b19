#include "locus/train/hub_run.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/folder.h"
#include "locus/base/quote.h"
#include "locus/train/saved_run.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// Samples are made for these heads with the tokens that a folder's own vocabulary puts around texts.
void check_head(const fs::path& from, ModelKind kind, HeadKind head) {
  if (kind == ModelKind::encoder_decoder) {
    fail(Fault::usage, "model.from: '{}' holds an encoder-decoder; expected an encoder or a decoder",
         from.string());
  }
  constexpr HeadKind kTrained[] = {HeadKind::next_token, HeadKind::masked_token, HeadKind::sequence_class,
                                   HeadKind::token_class};
  if (std::ranges::count(kTrained, head) > 0) return;
  fail(Fault::usage,
       "model.head: the model in '{}' is trained with one of next_token, masked_token, sequence_class and "
       "token_class; set it to one of these",
       from.string());
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
  const Config config(from / "config.json");
  const Blueprint own = read_architecture(config).blueprint;
  const HeadKind head = asked.value_or(own.head);
  check_head(from, own.kind, head);
  task.labels = label_names(head, task.data.train);
  if (head == own.head) {
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
  require(scheme_info(task.blueprint.scheme).relative || task.data.context <= task.blueprint.max_length,
          "data.context is {}, but the model in '{}' has positions for {} tokens", task.data.context,
          from.string(), task.blueprint.max_length);
  return start;
}

fs::path save_hub_folder(const ModelFolder& start, const fs::path& run) {
  const SavedRun saved = load_run(run);
  const fs::path hub = run / "hub", unfinished = run / "hub.new";
  fs::remove_all(unfinished);
  const Architecture& architecture = start.architecture;
  write_model(start,
              tensors_of(bindings_of(*architecture.family, architecture.blueprint, saved.model.parameters())),
              unfinished, {});
  if (saved.task.data.tokenizer != start.path.string()) saved.task.tokenizer->save(unfinished);
  discard_folder(hub);
  publish_folder(unfinished, hub);
  return hub;
}

}  // namespace locus
