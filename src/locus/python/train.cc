// Training runs.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"
#include "locus/report/training_page.h"
#include "locus/train/planned_run.h"
#include "locus/train/run_defaults.h"

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
    try {
      f();
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    } catch (nb::python_error& raised) {
      if (!error) error.emplace(std::move(raised));
    }
    return error.has_value();
  }
};

// What the arguments of train() describe. `continued` is a run or a checkpoint to train further, or None.
PlannedRun planned_run(const Settings& settings, const fs::path& relative,
                       const std::optional<fs::path>& continued, const fs::path& out,
                       std::vector<std::string>& notes) {
  if (continued) {
    ContinuedRun planned = plan_continued(*continued, settings, relative);
    notes = planned.plan.notes;
    return continue_run(std::move(planned), *continued, out);
  }
  Settings all = settings;
  keep_defaults(all, out);
  RunPlan plan = plan_run(all, relative);
  notes = plan.notes;
  return PlannedRun(std::move(plan), out);
}

// (folder, finished steps, notes). `progress` is called after every step with (step, steps, loss, validation
// loss).
nb::tuple train_model(nb::handle config, nb::handle base, nb::handle out, nb::handle continued,
                      const std::map<std::string, std::string>& set, nb::handle progress) {
  const bool from_file = !PyUnicode_Check(config.ptr()) || base.is_none();
  Settings settings =
      from_file ? Settings::read(path_of(config)) : Settings::parse(text_of(config, "config"), "config");
  const fs::path relative = from_file ? path_of(config).parent_path() : path_of(base);
  for (const auto& [key, value] : set) settings.set(key, value);
  const fs::path place = out.is_none() ? fs::path() : path_of(out);
  std::optional<fs::path> start;
  if (!continued.is_none()) start = path_of(continued);
  int64_t step = 0;
  fs::path folder;
  std::vector<std::string> notes;
  const auto keep = [&](const std::string& text) { notes.push_back(text); };
  Raised raised;
  {
    const WithoutGil computing;
    PlannedRun run = planned_run(settings, relative, start, place, notes);
    folder = run.folder().path();
    const auto report = [&](const TrainProgress& now) {
      raised.by([&] {
        if (progress.is_none()) return;
        const nb::object validation = now.validation ? nb::cast(now.validation->loss) : nb::none();
        progress(now.last.step, now.steps, now.last.loss, validation);
      });
    };
    step = run.train({.progress = report, .stop = [&] { return raised.by([] {}); }, .note = keep});
    report::write_training_page(run.folder());
    if (step == run.plan().train.steps) run.save_hub(keep);
  }
  if (raised.error) throw std::move(*raised.error);
  return nb::make_tuple(nb::str(folder.c_str()), step, python_texts(notes));
}

}  // namespace

void bind_train(nb::module_& module) {
  module.def("train", train_model, kCounted, "config"_a, "base"_a.none(), "out"_a.none(),
             "continued"_a.none(), "set"_a, "progress"_a.none());
}

}  // namespace locus::python
