// The report of a study: one page with the answer on top, the curves, the tables, a card for every scheme and
// what was run.
#pragma once

#include <string>
#include <vector>

#include "locus/report/figure.h"
#include "locus/study/summary.h"

namespace locus::report {

// What a card shows of one scheme beside its results.
struct SchemeCard {
  std::string scheme;
  std::vector<std::string> twice;  // what becomes of a word that occurs twice, in sentences
  std::vector<Figure> figures;
};

struct StudyReport {
  study::Study study;
  study::Summary summary;
  std::vector<SchemeCard> cards;
  std::string machine;
};

std::string study_page(const StudyReport& report);

}  // namespace locus::report
