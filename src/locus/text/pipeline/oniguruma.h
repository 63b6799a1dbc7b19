// Translates the regular expressions of tokenizer.json, which are written for Oniguruma, to PCRE2.
#pragma once

#include <string>
#include <string_view>

namespace locus {

// Members of a character class for \w: Unicode's Alphabetic (letters, Nl, and circled letters among the
// symbols), marks, decimal digits, and connector punctuation.
inline constexpr std::string_view kWordMembers =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";

// The same for \s. Excludes U+180E, which PCRE2 treats as whitespace.
inline constexpr std::string_view kBlankMembers = R"(\t-\r\x{85}\p{Z})";

// The same expression for PCRE2 with PCRE2_MULTILINE: ^ and $ match at lines, \w and \b use other letters, \h
// is a hexadecimal digit, and nested character classes become unions. Throws for other differences and names
// them. `where` names the expression.
std::string from_oniguruma(std::string_view expression, const std::string& where);

}  // namespace locus
