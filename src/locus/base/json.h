// Writes JSON. Values become JSON text; JSON texts become lists and objects. json_document.h reads JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace locus::json {

std::string text(std::string_view value);  // quoted; UTF-8 passes through, control characters are escaped
std::string number(double value);          // rounded to f32; null if that is not finite
std::string exact(double value);           // reads back to the same double; null if it is not finite
std::string number(int64_t value);
std::string boolean(bool value);

std::string list(std::span<const std::string> items);  // the items are JSON already
std::string texts(std::span<const std::string_view> values);
std::string texts(std::span<const std::string> values);
std::string numbers(std::span<const double> values);
std::string numbers(std::span<const int32_t> values);

using Members = std::vector<std::pair<std::string_view, std::string>>;
std::string object(const Members& members);

// The same with one line for every item or member, for people: use it for the outermost list or object.
std::string lines(std::span<const std::string> items);
std::string lines(const Members& members);

}  // namespace locus::json
