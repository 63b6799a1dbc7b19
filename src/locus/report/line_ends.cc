#include "locus/report/line_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "locus/report/svg.h"

namespace locus::report {
namespace {

constexpr double kJoint = kBeforeName - 5;  // width of the piece of line
constexpr double kLineHeight = kTextSize + 3;

}  // namespace

// Isotonic regression of the positions minus their gaps: neighbors out of order share their mean.
std::vector<double> spaced(const std::vector<double>& wanted, double gap, double top, double bottom) {
  const size_t count = wanted.size();
  if (count == 0) return {};
  if (count > 1) gap = std::min(gap, (bottom - top) / static_cast<double>(count - 1));
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return wanted[i]; });
  struct Block {
    double sum = 0, size = 0;
    double mean() const { return sum / size; }
  };
  std::vector<Block> blocks;
  for (size_t rank = 0; rank < count; ++rank) {
    blocks.push_back({wanted[order[rank]] - gap * static_cast<double>(rank), 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().size += last.size;
    }
  }
  const double most = bottom - gap * static_cast<double>(count - 1);
  std::vector<double> places(count);
  size_t rank = 0;
  for (const Block& block : blocks) {
    const double first = std::min(std::max(block.mean(), top), most);
    for (double i = 0; i < block.size; ++i, ++rank)
      places[order[rank]] = first + gap * static_cast<double>(rank);
  }
  return places;
}

std::vector<std::string> named_ends(const std::vector<LineEnd>& ends, double x, double top, double bottom) {
  // In the order of the names, so that equal y keep it.
  std::vector<size_t> order(ends.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return ends[a].y != ends[b].y ? ends[a].y < ends[b].y : ends[a].order > ends[b].order;
  });
  std::vector<double> wanted;
  for (const size_t i : order) wanted.push_back(ends[i].y);
  const std::vector<double> sorted = spaced(wanted, kLineHeight, top, bottom);
  std::vector<double> places(ends.size());
  for (size_t i = 0; i < order.size(); ++i) places[order[i]] = sorted[i];
  std::vector<std::string> elements;
  for (size_t i = 0; i < ends.size(); ++i) {
    const double from = ends[i].reaches ? x : x + kJoint / 2,
                 from_y = ends[i].reaches ? ends[i].y : places[i];
    elements.push_back(fmt::format(R"(<path class="{}" d="M{} {}L{} {}H{}"/>)", ends[i].line_class,
                                   number(from), number(from_y), number(x + kJoint * 0.7), number(places[i]),
                                   number(x + kJoint)) +
                       text_at(x + kBeforeName, places[i] + kTextSize * 0.35, ends[i].name,
                               {.kind = ends[i].line_class.ends_with("muted") ? "faint" : "words"}));
  }
  return elements;
}

}  // namespace locus::report
