// The output of `locus eval` and of `locus stretch --evaluate`: tables and JSON.
#pragma once

#include <string>
#include <string_view>

#include "locus/base/json.h"
#include "locus/train/evaluation.h"
#include "locus/train/length_evaluation.h"

namespace locus::cli {

std::string as_text(const Evaluation& evaluation, std::string_view file);
std::string as_text(const LengthEvaluation& evaluation, std::string_view file);
// Several models on one text: a row for every model and length.
struct NamedEvaluation {
  std::string name;
  LengthEvaluation evaluation;
};
std::string as_text(const std::vector<NamedEvaluation>& evaluations);
// The members of a JSON object, whose names may be those in the evaluation.
json::Members members_of(const Evaluation& evaluation);
json::Members members_of(const LengthEvaluation& evaluation);

}  // namespace locus::cli
