// SIGINT and SIGTERM as a wish: the first asks to stop at the next good moment, a second ends the process at
// once.
#pragma once

namespace locus::cli {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();  // signals end the process again
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool asked() const { return signal() != 0; }
  int signal() const;  // the one that came, or 0
};

// Thrown by a command that stopped because it was asked to, once all is saved: the program leaves with 128 +
// signal.
struct Stopped {
  int signal;
};

}  // namespace locus::cli
