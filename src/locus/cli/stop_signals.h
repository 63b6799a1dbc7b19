// Handles SIGINT and SIGTERM. The first signal requests a stop at the next safe point, the second ends the
// process immediately.
#pragma once

namespace locus::cli {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();  // restores the default: signals end the process
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool requested() const { return signal() != 0; }
  int signal() const;  // the signal received, or 0
};

// Thrown by a command that saved its state and stopped after a signal. The program exits with 128 + signal.
struct Stopped {
  int signal;
};

}  // namespace locus::cli
