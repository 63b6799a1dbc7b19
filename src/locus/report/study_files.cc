#include "locus/report/study_files.h"

#include <fmt/format.h>

#include "locus/base/file.h"
#include "locus/base/machine.h"
#include "locus/base/parallel.h"
#include "locus/report/scheme_card.h"
#include "locus/report/study_figures.h"
#include "locus/report/study_page.h"
#include "locus/study/step_times.h"
#include "locus/tensor/cuda/driver.h"

namespace locus::report {
namespace {

std::vector<SchemeCard> cards(const study::Study& study, const std::filesystem::path& folder) {
  std::vector<SchemeCard> list;
  for (const study::SchemeChoice& choice : study.scheme_list())
    list.push_back(scheme_card(study, folder, choice));
  return list;
}

std::string machine_in_words(Device device) {
  const std::string gpu = device == Device::cuda ? cuda::find().gpu + "; " : "";
  return fmt::format("{}{}, {} thread{}", gpu, cpu().model, threads(), threads() == 1 ? "" : "s");
}

}  // namespace

StudyFiles write_study_files(const study::Study& study, const std::vector<study::Cell>& cells,
                             const std::filesystem::path& folder) {
  StudyFiles files{.summary = study::summarize(study, cells)};
  study::use_times(files.summary, study::step_times(study, folder));
  files.json = study::results_json(study, files.summary);
  files.csv = study::results_csv(study, cells);
  files.page =
      study_page({study, files.summary, cards(study, folder), machine_in_words(study.conditions.device)});
  write_file(folder / "results.json", files.json);
  write_file(folder / "results.csv", files.csv);
  write_file(folder / "report.html", files.page);
  write_file(folder / "length.svg", svg_file(summary_chart(files.summary)));
  return files;
}

}  // namespace locus::report
