// One line of a line chart.
#pragma once

#include <optional>
#include <string>

#include "locus/report/frame.h"
#include "locus/report/line_chart.h"

namespace locus::report {

// `line` is its class, and `end` the name at its end, which belongs to the hover area. Above `cap` the line
// is clipped, and arrows mark the places.
std::string drawn_line(const Series& series, const std::string& line, const Frame& frame,
                       std::optional<double> cap, const std::string& end);

}  // namespace locus::report
