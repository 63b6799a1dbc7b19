#include "locus/report/arrange.h"

#include <algorithm>

namespace locus::report {

Drawing side_by_side(std::span<const Drawing> drawings, double width, double gap) {
  Drawing result{.width = width};
  double x = 0, y = 0, row_height = 0;
  for (const Drawing& drawing : drawings) {
    if (x > 0 && x + drawing.width > width) {
      y += row_height + gap;
      x = row_height = 0;
    }
    result.body += placed(drawing, x, y);
    x += drawing.width + gap;
    row_height = std::max(row_height, drawing.height);
  }
  result.height = y + row_height;
  return result;
}

Drawing below_each_other(std::span<const Drawing> drawings, double gap) {
  Drawing result;
  for (const Drawing& drawing : drawings) {
    if (result.height > 0) result.height += gap;
    result.body += placed(drawing, 0, result.height);
    result.width = std::max(result.width, drawing.width);
    result.height += drawing.height;
  }
  return result;
}

Drawing paragraph(std::string_view words, double width, const TextStyle& style) {
  Drawing result{.width = width};
  std::string line;
  const auto finish_line = [&] {
    result.body += text_at(0, result.height + style.size, line, style);
    result.height += style.size * 1.45;
    line.clear();
  };
  while (!words.empty()) {
    const size_t end = std::min(words.find_first_of(" \n"), words.size());
    const std::string word(words.substr(0, end));
    const bool new_line = end < words.size() && words[end] == '\n';
    if (!line.empty() && text_width(line + ' ' + word, style.size) > width) finish_line();
    line += (line.empty() ? "" : " ") + word;
    if (new_line) finish_line();
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (!line.empty()) finish_line();
  return result;
}

}  // namespace locus::report
