// Progress of a study on stderr: on a terminal a table of schemes by lengths that fills up, elsewhere one
// line per finished cell.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "locus/study/summary.h"

namespace locus::cli {

class LiveTable {
 public:
  LiveTable(const study::Study& study, bool terminal);

  void progress(const study::CellName& name, double fraction);
  void finished(const study::Cell& cell, bool trained);  // trained now, or found in the folder
  void close();                                          // draws the final state

 private:
  std::string status() const;
  void draw();

  const study::Study& study_;
  bool terminal_;
  int lines_ = 0;  // of the last drawing, which the next one overwrites
  std::vector<study::Cell> cells_;
  study::CellName current_;
  double fraction_ = 0;
  size_t total_ = 0, found_ = 0;
  std::chrono::steady_clock::time_point start_, drawn_;
};

}  // namespace locus::cli
