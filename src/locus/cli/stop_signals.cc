#include "locus/cli/stop_signals.h"

#include <csignal>

namespace locus::cli {
namespace {

volatile std::sig_atomic_t received = 0;

void on_signal(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);  // the next signal of either kind ends the process
  std::signal(signal == SIGINT ? SIGTERM : SIGINT, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int StopSignals::signal() const { return received; }

}  // namespace locus::cli
