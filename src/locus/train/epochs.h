// Epochs, which are not a setting: how many steps they are.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "locus/base/error.h"
#include "locus/base/settings.h"
#include "locus/train/run_plan.h"

namespace locus {

// The setting in [train] that asks for a number of epochs, under one of its names; null if there is none.
const Setting* epochs_setting(const Settings& settings);

// The settings in [train] without one of them.
OptionValues training_values(const Settings& settings, std::string_view ignored);

// How many steps the epochs of that setting are, for the samples and the batch size of a plan that was made
// without it. Empty if its value is not a positive number.
std::string steps_of_epochs(const Setting& setting, const RunPlan& plan);

// The error of a plan. If the settings ask for epochs, `steps`, which makes the plan without that setting, is
// its hint; unless that plan has an error, too.
Error with_steps_of_epochs(const Error& error, const Settings& settings,
                           const std::function<std::string(const Setting&)>& steps);

}  // namespace locus
