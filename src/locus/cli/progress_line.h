// Progress on stderr. On a terminal it is a line that is shown from the third second on and erased at the
// end. Elsewhere, for example in a log file, it is a new line every ten seconds.
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
    if (now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(100) : kPause);
    if (!terminal_) return note(text);
    tell("\r\x1b[K" + text);
    shown_ = true;
  }
  void clear() {
    if (shown_) tell("\r\x1b[K");
    shown_ = false;
  }

 private:
  static constexpr std::chrono::milliseconds kPause{10'000};

  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + (terminal_ ? std::chrono::milliseconds(2'000) : kPause);
};

}  // namespace locus::cli
