// The time of a training step of every scheme, for the costs in a report. All schemes take turns, so that
// other programs on the machine slow down all alike. Times of cells do not compare: cells run one after
// another, and those that a study gains later may run under another load.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "locus/study/summary.h"

namespace locus::study {

using StepTimes = std::map<std::string, double, std::less<>>;  // seconds by the word of the scheme

// On the first task. They are kept in the folder of the study, and measured again if it lacks a scheme.
StepTimes step_times(const Study& study, const std::filesystem::path& folder);

// Replaces the times of the cells in a summary.
void use_times(Summary& summary, const StepTimes& times);

}  // namespace locus::study
