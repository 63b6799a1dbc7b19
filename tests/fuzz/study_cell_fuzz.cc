// Any bytes as the cell of a study or, after an `m`, as its kept model: throws an Error, or the study can be
// reported, in JSON that can be read.
#include <cstdint>
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json_document.h"
#include "locus/report/study_figures.h"
#include "locus/report/study_page.h"
#include "tests/fuzz/scratch.h"
#include "tests/study/tiny_study.h"

namespace {

using namespace locus::study;

// A study of one cell, whose scheme has rows with other options.
class Folder {
 public:
  Folder() {
    study_.schemes = "rotary";
    study_.seeds = 1;
    name_ = study_.cells().front();
    run(study_, scratch_.path(), {});
    model_ = locus::read_file(model_file(scratch_.path(), name_));
  }

  // A cell with fewer tests than the study needs its model, which must then be the trained one.
  void try_model(std::string_view bytes) const {
    put(model_file(scratch_.path(), name_), bytes);
    try {
      read_model(study_, scratch_.path(), name_);
    } catch (const locus::Error&) {
    }
    put(model_file(scratch_.path(), name_), model_);
  }

  void try_cell(std::string_view bytes) const {
    put(scratch_ / ("cells/" + name_.text() + ".json"), bytes);
    std::optional<Cell> cell;
    try {
      cell = find_cell(study_, scratch_.path(), name_);
    } catch (const locus::Error&) {
      return;
    }
    if (cell && has_all_lengths(study_, *cell)) report({*cell});
  }

 private:
  // An Error here ends the fuzzer: a cell that was accepted can be reported.
  void report(const std::vector<Cell>& cells) const {
    const Summary summary = summarize(study_, cells);
    const locus::json::Document results(results_json(study_, summary), "results.json");
    results_csv(study_, cells);
    locus::report::study_page({study_, summary, {}, "fuzz"});
    locus::report::summary_chart(summary);
  }

  Scratch scratch_;
  Study study_ = tiny();
  CellName name_;
  std::string model_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('m')) {
    folder.try_model(bytes.substr(1));
  } else {
    folder.try_cell(bytes);
  }
  return 0;
}
