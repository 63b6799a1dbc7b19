// A page: one HTML file with everything in it, no script, no network, no font of its own. It follows the
// reader's choice of light or dark, fits a telephone and paper, and every chart line can be reached by
// keyboard.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "locus/report/figure.h"

namespace locus::report {

// A cell of a table; shaded from 0 (worst) to 1 (best) where it has a shade, explained where it is pointed
// at.
struct TableCell {
  std::string text;
  double shade = -1;
  std::string note;
};

class Page {
 public:
  explicit Page(std::string_view title);

  void lead(std::string_view text);     // the answer, before anything else
  void formula(std::string_view text);  // its lines as they are
  void facts(std::span<const std::pair<std::string, std::string>> rows);
  void figures(std::span<const Figure> figures);  // beside each other where there is room
  void heading(std::string_view text);
  void words(std::string_view text);  // a paragraph
  void list(std::span<const std::string> items);
  // The first column names the rows; on a narrow screen the table scrolls by itself.
  void table(std::span<const std::string> columns, std::span<const std::vector<TableCell>> rows);
  // One of several parts is seen, chosen by name; all of them on paper. `group` is unique in the page.
  void choice(std::string_view group, std::span<const std::pair<std::string, Page>> parts);
  void folded(std::string_view summary, const Page& part);  // opened by who wants it, and on paper
  std::string html() const;

 private:
  void add(const Figure& figure);
  std::string title_, body_;
};

}  // namespace locus::report
