// The page of an evaluation by length: perplexity over the length of the window, and loss by position in it.
#pragma once

#include <string>

#include "locus/report/page.h"
#include "locus/train/length_evaluation.h"

namespace locus::report {

struct LengthSubject {
  std::string model, text, scheme;  // names
  int64_t own_length = 0;           // marked in the charts, with its name
  std::string own_name;
};

std::string length_page(const LengthSubject& subject, const LengthEvaluation& evaluation);

}  // namespace locus::report
