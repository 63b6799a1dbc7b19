#include "locus/report/line_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "locus/report/svg.h"

namespace locus::report {
namespace {

constexpr double kJoint = kBeforeName - 5;  // the piece of line
constexpr double kApart = kTextSize + 3;

}  // namespace

// Without the gaps this is the nearest sequence that never falls: neighbours that would fall share their
// mean.
std::vector<double> kept_apart(const std::vector<double>& wanted, double gap, double top, double bottom) {
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
  std::vector<double> wanted;
  for (const LineEnd& end : ends) wanted.push_back(end.y);
  const std::vector<double> places = kept_apart(wanted, kApart, top, bottom);
  std::vector<std::string> elements;
  for (size_t i = 0; i < ends.size(); ++i) {
    const double from = ends[i].reaches ? x : x + kJoint / 2,
                 from_y = ends[i].reaches ? ends[i].y : places[i];
    elements.push_back(fmt::format(R"(<path class="{}" d="M{} {}L{} {}H{}"/>)", ends[i].line_class,
                                   number(from), number(from_y), number(x + kJoint * 0.7), number(places[i]),
                                   number(x + kJoint)) +
                       text_at(x + kBeforeName, places[i] + kTextSize * 0.35, ends[i].name));
  }
  return elements;
}

}  // namespace locus::report
