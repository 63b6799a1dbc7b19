// The messages of a chat in a request.
#pragma once

#include <string>

#include "locus/serve/fields.h"

namespace locus::serve {

// The members "messages", "documents" and "chat_template_kwargs" as an object for render_object(). A content
// that is a list of texts becomes one text.
std::string read_chat(Fields& fields);

}  // namespace locus::serve
