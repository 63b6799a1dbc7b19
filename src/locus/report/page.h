// A page: one HTML file without scripts, network access or fonts of its own. It follows the reader's light or
// dark theme, fits phones and paper, and every chart line can be reached by keyboard.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "locus/report/figure.h"

namespace locus::report {

// A cell of a table.
struct TableCell {
  // A background with a meaning; the text of such a cell has a mark too, so that color is never alone.
  enum class Tone { none, good, partial, bad };
  std::string text;
  double shade = -1;  // 0 (worst) to 1 (best); negative: none
  std::string note;   // shown on hover
  Tone tone = Tone::none;
  bool strong = false;
  int shape = -1;  // a shape of report/scatter_chart.h before the text; negative: none
};

// A group of columns with a common heading.
struct ColumnGroup {
  std::string name;
  size_t columns = 1;
  std::string note = "";  // shown on hover
};

class Page {
 public:
  explicit Page(std::string_view title);

  // The answer: the first sentence large, then the rest, then a remark in small type.
  void verdict(std::span<const std::string> sentences, std::string_view remark);
  void lead(std::string_view text);     // the first paragraph, in larger type
  void formula(std::string_view text);  // preformatted
  void facts(std::span<const std::pair<std::string, std::string>> rows);
  void figures(std::span<const Figure> figures);  // side by side if there is room
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void note(std::string_view text);  // in small type
  void list(std::span<const std::string> items);
  // The first column names the rows. On a narrow screen the table scrolls, but not the page. With groups, a
  // first heading row spans the columns after the first.
  void table(std::span<const std::string> columns, std::span<const std::vector<TableCell>> rows,
             std::span<const ColumnGroup> groups = {});
  // One part at a time, chosen by its name; all parts in print. `group` is unique in the page.
  void tabs(std::string_view group, std::span<const std::pair<std::string, Page>> parts);
  void details(std::string_view summary, const Page& part);  // closed at first, open in print
  std::string html() const;

 private:
  void add(const Figure& figure);
  std::string title_, body_;
};

}  // namespace locus::report
