#include "locus/report/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "locus/base/error.h"

namespace locus::report {
namespace {

constexpr double kRow = 38, kThick = 14, kLabelGap = 8;

}  // namespace

Drawing draw(const BarChart& chart, double width) {
  require(!chart.bars.empty(), "bar chart '{}': nothing to draw", chart.title);
  double largest = 0, label = 0;
  for (const Bar& bar : chart.bars) {
    require(bar.value >= 0, "bar chart '{}': the bar '{}' is {} long, expected 0 or more", chart.title,
            bar.name, bar.value);
    largest = std::max(largest, bar.value);
    label = std::max(label, text_width(bar.label, kTextSize));
  }
  const double room = width - label - kLabelGap;
  require(room >= 20, "bar chart '{}': no room in a width of {}", chart.title, width);
  Drawing drawing{.width = width, .label = chart.title};
  double y = 4;
  if (!chart.title.empty()) {
    drawing.body = text_at(0, 14, chart.title, {.kind = "words strong"});
    y = 24;
  }
  for (size_t i = 0; i < chart.bars.size(); ++i, y += kRow) {
    const Bar& bar = chart.bars[i];
    const double length = largest > 0 ? room * bar.value / largest : 0, middle = y + 18 + kThick / 2;
    drawing.body += text_at(0, y + 13, bar.name);
    // A bar is a thick line: lines have the colours. The first one has the first colour, the others another.
    drawing.body += fmt::format(R"(<path class="bar c{}" stroke-width="{}" fill="none" d="M0 {}h{}"/>)",
                                i == 0 ? 0 : 6, number(kThick), number(middle), number(length));
    drawing.body += text_at(length + kLabelGap, middle + 5, bar.label, {.kind = "faint"});
  }
  drawing.height = y;
  return drawing;
}

}  // namespace locus::report
