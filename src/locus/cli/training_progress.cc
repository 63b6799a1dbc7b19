#include "locus/cli/training_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "locus/cli/terminal.h"
#include "locus/report/training_page.h"

namespace locus::cli {
namespace {

std::string text_of(const TrainProgress& progress) {
  const StepMetrics& last = progress.last;
  std::string line =
      fmt::format("step {}/{}  loss {:.4f}  {:.0f} tokens/s  {} left", last.step, progress.steps, last.loss,
                  progress.tokens_per_second, time_in_words(progress.seconds_left));
  if (progress.validation) {
    line += fmt::format("  validation {:.4f}", progress.validation->loss);
    for (const auto& [name, value] : progress.validation->more)
      line += fmt::format("  {} {:.4g}", name, value);
  }
  return line;
}

}  // namespace

void StepLine::operator()(const TrainProgress& progress) {
  const bool keep = progress.validation || progress.last.step == progress.steps;
  if (!::isatty(STDERR_FILENO)) {
    const int64_t tenth = std::max<int64_t>(1, progress.steps / 10);
    if (keep || progress.last.step % tenth == 0) tell(text_of(progress) + "\n");
    return;
  }
  // Small models take many steps per second: limit the updates of the terminal.
  const auto now = std::chrono::steady_clock::now();
  if (!keep && now - written_ < std::chrono::milliseconds(50)) return;
  written_ = now;
  tell(fmt::format("\r\x1b[K{}{}", text_of(progress), keep ? "\n" : ""));
  open_ = !keep;
}

void StepLine::end() {
  if (std::exchange(open_, false)) tell("\n");
}

void LivePage::write() {
  const Clock::time_point start = Clock::now();
  try {
    report::write_training_page(folder_);
  } catch (const Error& error) {
    if (!std::exchange(reported_, true)) note(fmt::format("cannot write training.html: {}", error.what()));
  }
  written_ = Clock::now();
  took_ = written_ - start;
}

void LivePage::operator()(const TrainProgress& progress) {
  if (progress.validation && Clock::now() - written_ >= 20 * took_) write();
}

}  // namespace locus::cli
