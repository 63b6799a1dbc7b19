// Functions from texts to texts, as the methods of Python's str. Marks of users stay on the bytes they wrote.
#pragma once

#include <optional>
#include <string_view>

#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

enum class Side { left, right, both };
// Removes the characters of `blanks` at the ends, or whitespace.
MarkedText stripped(const MarkedText& text, Side side, const std::optional<std::string>& blanks);

// title_filter begins a word after whitespace and brackets only, as the filter of Jinja does.
enum class Letters { upper, lower, capitalized, title, title_filter };
MarkedText with_letters(const MarkedText& text, Letters letters);

// Replaces the first `most` occurrences; all of them if it is negative.
MarkedText replaced(Steps& steps, const MarkedText& text, const std::string& from, const MarkedText& to,
                    int64_t most);
// Parts between separators, or between runs of whitespace; at most `most` cuts, from the right if
// `from_right`.
std::vector<Value> split(Steps& steps, const MarkedText& text, const std::optional<std::string>& separator,
                         int64_t most, bool from_right);
std::vector<Value> split_lines(Steps& steps, const MarkedText& text, bool keeps_ends);
Value joined(Steps& steps, const MarkedText& separator, const std::vector<Value>& items);

}  // namespace locus::chat
