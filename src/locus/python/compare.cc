// Studies: position schemes compared by training small models.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "locus/base/fields.h"
#include "locus/kernel/kernels.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"
#include "locus/report/study_files.h"
#include "locus/study/budget.h"
#include "locus/study/growth.h"
#include "locus/study/memory.h"
#include "locus/study/verdict.h"
#include "locus/tensor/storage.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

// (results as CSV, as JSON, sentences, page). An empty budget is none. `progress` is called with the finished
// fraction of all cells.
nb::tuple compare(nb::handle out, const OptionValues& settings, const std::string& budget,
                  const std::string& device, nb::handle progress) {
  const std::filesystem::path folder = path_of(out);
  const Device place = device_of(device);
  report::StudyFiles files;
  std::vector<std::string> sentences;
  {
    const WithoutGil computing;
    const std::optional<study::Study> existing = study::study_in(folder);
    study::Study wanted = existing.value_or(study::Study());
    if (settings.contains("length")) wanted.conditions.lengths.clear();
    refuse("compare", read_fields(wanted, settings));
    const double seconds = budget.empty() ? 0 : study::budget_seconds("budget", budget);
    if (existing && seconds > 0) wanted = study::with_size_of(*existing, wanted);
    study::check(wanted);
    if (existing) wanted = study::grown(*existing, wanted, folder);
    wanted.conditions.device = place;
    require_usable(place);
    study::require_memory(wanted, available_bytes(place));
    const study::Study study = existing || seconds == 0 ? wanted : study::within(wanted, seconds).study;
    const auto all = static_cast<double>(study.cells().size());
    double done = 0;
    const auto report = [&](double cells) {
      const WithGil gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!progress.is_none()) progress(cells / all);
    };
    const std::vector<study::Cell> cells =
        study::run(study, folder,
                   {.progress = [&](const study::CellName&, double fraction) { report(done + fraction); },
                    .finished = [&](const study::Cell&, bool) { report(++done); }});
    files = report::write_study_files(study, cells, folder);
    sentences = study::verdict(files.summary).sentences;
  }
  return nb::make_tuple(python_text(files.csv), python_text(files.json), python_texts(sentences),
                        python_text(files.page));
}

}  // namespace

void bind_compare(nb::module_& module) {
  module.def("compare", compare, kCounted, "out"_a, "settings"_a, "budget"_a, "device"_a,
             "progress"_a.none());
}

}  // namespace locus::python
