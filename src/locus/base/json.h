// Writes JSON: values become text, texts become lists and objects. Reading is simdjson's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace locus::json {

std::string text(std::string_view value);  // quoted; UTF-8 passes through, control characters are escaped
std::string number(double value);          // as f32, which it reads back to; null when that is not finite
std::string exact(double value);           // reads back to the same double; null likewise
std::string number(int64_t value);
std::string boolean(bool value);

// Of things that are JSON already.
std::string list(std::span<const std::string> items);
std::string texts(std::span<const std::string_view> values);
std::string texts(std::span<const std::string> values);
std::string numbers(std::span<const double> values);
std::string numbers(std::span<const int32_t> values);

using Members = std::vector<std::pair<std::string_view, std::string>>;
std::string object(const Members& members);

// The same with every item or member in a line of its own: for the outermost one, which people look at too.
std::string lines(std::span<const std::string> items);
std::string lines(const Members& members);

}  // namespace locus::json
