// Fields of config.json that Locus does not know.
#pragma once

#include <string>
#include <vector>

#include "locus/checkpoint/config.h"

namespace locus {

// After the model is read: a warning that names every field that was not read and that may change results. A
// family therefore reads each field that it knows, even one that another field makes irrelevant. Fields that
// cannot change results are on a list: history, training, generation, and names that transformers ignores.
std::vector<std::string> unread_warnings(const Config& config);

}  // namespace locus
