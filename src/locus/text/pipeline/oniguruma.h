// Regular expressions of tokenizer.json, which are written for Oniguruma, as PCRE2 reads them.
#pragma once

#include <string>
#include <string_view>

namespace locus {

// Members of a class: Unicode's Alphabetic (that are letters, Nl, and of symbols the circled letters), marks,
// decimal digits and what joins words.
inline constexpr std::string_view kWordMembers =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";

// Likewise blanks, without U+180E, which is one to PCRE2.
inline constexpr std::string_view kBlankMembers = R"(\t-\r\x{85}\p{Z})";

// The same expression for PCRE2 with PCRE2_MULTILINE: ^ and $ are ends of lines, \w and \b know other
// letters, \h is a hexadecimal digit, and classes within a class are joined to it. What else differs and
// would need more is refused by name; `where` names the expression.
std::string from_oniguruma(std::string_view expression, const std::string& where);

}  // namespace locus
