#include "locus/report/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus::report {
namespace {

constexpr double kRow = 38, kThick = 14, kLabelGap = 8;

}  // namespace

Drawing draw(const BarChart& chart, double width) {
  require(!chart.bars.empty(), "no bars in bar chart {}", quote(chart.title));
  double largest = 0, label = 0;
  std::vector<std::string> labels;
  for (const Bar& bar : chart.bars) {
    require(bar.value >= 0, "bad value of the bar {} in bar chart {}: got {}, expected 0 or more",
            quote(bar.name), quote(chart.title), bar.value);
    largest = std::max(largest, bar.value);
    labels.push_back(shortened(bar.label, kTextSize, std::min(kMostName, width / 2)));
    label = std::max(label, text_width(labels.back(), kTextSize));
  }
  const double room = width - label - kLabelGap;
  require(room >= 20, "bar chart {} too narrow: got a width of {}", quote(chart.title), width);
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
    // Bars are thick lines, because the palette colors lines. The first bar has a color of its own.
    drawing.body += fmt::format(R"(<path class="bar c{}" stroke-width="{}" fill="none" d="M0 {}h{}"/>)",
                                i == 0 ? 0 : 6, number(kThick), number(middle), number(length));
    drawing.body += text_at(length + kLabelGap, middle + 5, labels[i], {.kind = "faint"});
  }
  drawing.height = y;
  return drawing;
}

}  // namespace locus::report
