// A progress line on the terminal, shown from the third second on and erased at the end. Prints nothing if
// stderr is not a terminal.
#pragma once

#include <unistd.h>

#include <chrono>
#include <string>

#include "locus/cli/terminal.h"

namespace locus::cli {

class ProgressLine {
 public:
  ~ProgressLine() { clear(); }

  void show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - start_ < std::chrono::seconds(2)) return;
    tell("\r\x1b[K" + text);
    shown_ = true;
  }
  void clear() {
    if (shown_) tell("\r\x1b[K");
    shown_ = false;
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace locus::cli
