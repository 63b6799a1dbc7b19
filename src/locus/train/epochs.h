// Epochs, which are not a setting: how many steps they are.
#pragma once

#include <string>

#include "locus/base/settings.h"
#include "locus/train/run_plan.h"

namespace locus {

// The setting in [train] that asks for a number of epochs, under one of its names; null if there is none.
const Setting* epochs_setting(const Settings& settings);

// How many steps the epochs of that setting are, for the samples and the batch size of a plan that was made
// without it. Empty if its value is not a positive number.
std::string steps_of_epochs(const Setting& setting, const RunPlan& plan);

}  // namespace locus
