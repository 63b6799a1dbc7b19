// The report of a study: one page with the verdict, the table of all schemes and tasks, the charts, a card
// for every scheme, and at the end how it was measured.
#pragma once

#include <string>
#include <vector>

#include "locus/report/figure.h"
#include "locus/study/summary.h"

namespace locus::report {

// The part of a scheme's card that needs its trained model.
struct SchemeCard {
  std::string scheme;
  std::vector<std::string> repeated_word;  // what separates two occurrences of a word, in sentences
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
