// Training runs.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "locus/base/file.h"
#include "locus/base/machine.h"
#include "locus/base/paths.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"
#include "locus/report/training_page.h"
#include "locus/tensor/storage.h"
#include "locus/train/export_run.h"
#include "locus/train/memory_need.h"
#include "locus/train/model_objective.h"
#include "locus/train/run_defaults.h"
#include "locus/train/run_plan.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

namespace fs = std::filesystem;

// Raises what Python has raised in the middle of a run, after the run was saved.
struct Raised {
  std::optional<nb::python_error> error;
  // Calls f with the GIL. Returns whether it raised.
  template <class F>
  bool by(F&& f) {
    const WithGil gil;
    const CallsPython calls;
    try {
      f();
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    } catch (nb::python_error& raised) {
      if (!error) error.emplace(std::move(raised));
    }
    return error.has_value();
  }
};

void export_hub(const RunFolder& folder, std::vector<std::string>& notes) {
  const SavedRun saved = load_run(folder.path());
  try {
    save_hub_folder(saved, folder.path());
  } catch (const Error& error) {
    if (error.code() != Code::unsupported_field) throw;
    notes.push_back(fmt::format("no model folder is written: {}", error.what()));
  }
}

void write_page(const RunFolder& folder) {
  write_file(folder.path() / "training.html",
             report::training_page(absolute_path(folder.path()).filename().string(),
                                   read_metrics(folder.metrics()), read_changes(folder.path() / "last")));
}

// (finished steps, notes, page). `progress` is called after every step with (step, steps, loss, validation
// loss).
nb::tuple train_model(nb::handle config, nb::handle base, nb::handle out,
                      const std::map<std::string, std::string>& set, nb::handle progress) {
  const fs::path place = path_of(out);
  const bool from_file = !PyUnicode_Check(config.ptr()) || base.is_none();
  Settings settings =
      from_file ? Settings::read(path_of(config)) : Settings::parse(text_of(config, "config"), "config");
  const fs::path relative = from_file ? path_of(config).parent_path() : path_of(base);
  for (const auto& [key, value] : set) settings.set(key, value);
  int64_t step = 0;
  std::vector<std::string> notes;
  Raised raised;
  {
    const WithoutGil computing;
    keep_defaults(settings, place);
    RunPlan plan = plan_run(settings, relative);
    notes = plan.notes;
    check_memory(plan.task.blueprint,
                 {.tokens = tokens_per_micro_batch(plan), .recompute = plan.task.data.recompute},
                 memory().available + allocated_bytes());
    RunFolder folder(place);
    Model model = initial_model(plan);
    ModelObjective objective(model, *plan.training, plan.validation.get(),
                             {.batches = {.batch_size = plan.task.data.batch_size,
                                          .tokens = plan.task.data.tokens_per_step,
                                          .seed = static_cast<uint64_t>(plan.train.seed)},
                              .label_smoothing = static_cast<float>(plan.task.data.label_smoothing),
                              .recompute = plan.task.data.recompute});
    const auto report = [&](const TrainProgress& now) {
      raised.by([&] {
        if (progress.is_none()) return;
        const nb::object validation = now.validation ? nb::cast(now.validation->loss) : nb::none();
        progress(now.last.step, now.steps, now.last.loss, validation);
      });
    };
    step = train({.objective = objective,
                  .parameters = model.parameters(),
                  .folder = folder,
                  .settings = plan.train,
                  .config = plan.config,
                  .files = files_of(plan.task, folder.path() / "tokenizer.part"),
                  .path_settings = {"data.train", "data.validation", "data.tokenizer"},
                  .hooks = {.progress = report,
                            .stop = [&] { return raised.by([] {}); },
                            .note = [&](const std::string& text) { notes.push_back(text); }}});
    write_page(folder);
    if (step == plan.train.steps && plan.exports) export_hub(folder, notes);
  }
  if (raised.error) throw std::move(*raised.error);
  return nb::make_tuple(step, python_texts(notes));
}

}  // namespace

void bind_train(nb::module_& module) {
  module.def("train", train_model, "config"_a, "base"_a.none(), "out"_a, "set"_a, "progress"_a.none());
}

}  // namespace locus::python
