// Base64 (RFC 4648, with padding), the encoding of tokens in rank files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace locus {

std::string base64_encoded(std::string_view bytes);
std::optional<std::string> base64_decoded(std::string_view text);  // nothing if it is not base64

}  // namespace locus
