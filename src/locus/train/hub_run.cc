#include "locus/train/hub_run.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"

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
  fail({Fault::usage, Code::wrong_head}, "model.head is {}, expected {} for the model in '{}'", name_of(head),
       fmt::join(names, ", "), from.string());
}

// If the folder has all labels of the task, replaces those of the task by the folder's, in its order.
bool adopt_labels(const std::vector<std::string>& own, TextTask& task, std::string& unknown) {
  const auto missing = std::ranges::find_if(
      task.labels, [&](const std::string& name) { return std::ranges::count(own, name) == 0; });
  if (missing != task.labels.end()) {
    unknown = *missing;
    return false;
  }
  if (!task.labels.empty()) task.labels = own;
  return true;
}

ModelFolder open_with_head(const fs::path& from, std::optional<HeadKind> requested, TextTask& task) {
  const Config config = read_config(from);
  const Architecture own = read_architecture(config);
  const HeadKind head = requested.value_or(own.blueprint.head);
  check_head(from, *own.family, head);
  task.labels = label_names(head, task.data.train);
  if (head == own.blueprint.head) {
    const std::vector<std::string> names = named_labels(config);
    std::string unknown;
    if (adopt_labels(names, task, unknown)) return open_model(from);
    require(
        requested.has_value(),
        "unknown label {} in '{}', expected one of the labels of the model in '{}': {}; set model.head to "
        "train a new head",
        quote(unknown), task.data.train, from.string(), fmt::join(names, ", "));
  }
  return open_model(from, NewHead{.kind = head, .labels = task.labels, .seed = task.seed});
}

}  // namespace

ModelFolder open_start(const fs::path& from, std::optional<HeadKind> head, TextTask& task) {
  ModelFolder start = open_with_head(from, head, task);
  task.blueprint = start.architecture.blueprint;
  require(scheme_info(task.blueprint.scheme).extrapolates || task.data.context <= task.blueprint.max_length,
          "data.context is {}, expected at most {}, the context window of the model in '{}'",
          task.data.context, task.blueprint.max_length, from.string());
  return start;
}

}  // namespace locus
