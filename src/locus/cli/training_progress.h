// The progress of a training run: a line on stderr, and the page training.html.
#pragma once

#include <chrono>
#include <string>

#include "locus/run/run_folder.h"
#include "locus/train/trainer.h"

namespace locus::cli {

// One line that is overwritten on a terminal; elsewhere one line per validation and per tenth of the run.
class StepLine {
 public:
  void operator()(const TrainProgress& progress);
  void end();  // ends the overwritten line, so that other output can follow

 private:
  std::chrono::steady_clock::time_point written_;
  bool open_ = false;
};

// Writes training.html in the run folder at every validation.
class LivePage {
 public:
  explicit LivePage(const RunFolder& folder) : folder_(folder) {}

  void write();  // a failure to write the page does not stop the run
  // The page of a run with millions of steps is slow to write: spend at most a twentieth of the time on it.
  void operator()(const TrainProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  const RunFolder& folder_;
  Clock::time_point written_;
  Clock::duration took_{};
  bool reported_ = false;
};

}  // namespace locus::cli
