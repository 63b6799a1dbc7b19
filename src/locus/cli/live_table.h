// Progress of a study: on a terminal a table of schemes by lengths that fills up, elsewhere a line for every
// finished cell. Goes to stderr.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "locus/study/summary.h"

namespace locus::cli {

class LiveTable {
 public:
  LiveTable(const study::Study& study, bool terminal);

  void at_work(const study::CellName& name, double part);
  void finished(const study::Cell& cell, bool now);
  void close();  // leaves the last state standing

 private:
  std::string status() const;
  void draw();

  const study::Study& study_;
  bool terminal_;
  int lines_ = 0;  // drawn, to be drawn over
  std::vector<study::Cell> cells_;
  study::CellName current_;
  double part_ = 0;
  size_t total_ = 0, found_ = 0;
  std::chrono::steady_clock::time_point start_, drawn_;
};

}  // namespace locus::cli
