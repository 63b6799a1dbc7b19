// What GPT-J has of GPT-2: the fields of config.json.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::gpt2 {

void fields(ConfigFields& fields, Blueprint& blueprint, double dropout);

}  // namespace locus::gpt2
