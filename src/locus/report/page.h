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

class Page {
 public:
  explicit Page(std::string_view title);

  void lead(std::string_view text);     // the answer, before anything else
  void formula(std::string_view text);  // its lines as they are
  void facts(std::span<const std::pair<std::string, std::string>> rows);
  void figures(std::span<const Figure> figures);  // beside each other where there is room
  std::string html() const;

 private:
  void add(const Figure& figure);
  std::string title_, body_;
};

}  // namespace locus::report
