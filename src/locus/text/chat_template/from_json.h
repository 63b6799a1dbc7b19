// Values of a chat template from JSON.
#pragma once

#include "locus/base/json_document.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

// Texts are marked as a user's, except the common roles of messages.
Value value_of(json::Value value, Origin origin);

}  // namespace locus::chat
