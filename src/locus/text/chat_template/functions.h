// The functions that every chat template may call: range, namespace, dict, raise_exception and strftime_now.
#pragma once

#include "locus/text/chat_template/value.h"

namespace locus::chat {

std::vector<std::pair<std::string, Value>> global_functions();

}  // namespace locus::chat
