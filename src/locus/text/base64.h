// Base64 (RFC 4648, with padding), as rank files write tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace locus {

std::string base64_encoded(std::string_view bytes);
std::optional<std::string> base64_decoded(std::string_view text);  // nothing: it is not base64

}  // namespace locus
