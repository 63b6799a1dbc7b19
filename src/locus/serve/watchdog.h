// Decides whether a batch hangs: it takes ten times as long as batches of this kind and size took before, and
// at least `least` seconds, so that a busy machine is not a hanging one. The first batch of a kind, which
// nothing was measured for, may take ten times `least`.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

namespace locus::serve {

using Clock = std::chrono::steady_clock;

class Watchdog {
 public:
  // A batch of texts, a step that reads prompts, another step, and a piece of a beam search.
  enum class Work { texts, prompts, step, search };

  explicit Watchdog(double least, std::function<Clock::time_point()> now = Clock::now)
      : least_(least), now_(std::move(now)) {}

  // Only the thread that computes calls these. `amount` is proportional to the time that the work takes.
  void begin(Work work, double amount);
  void end();

  // Every thread may call these.
  double busy_for() const;  // seconds since begin(); 0 between batches
  double allowed() const { return allowed_; }
  bool hangs() const { return busy_for() > allowed(); }

 private:
  static constexpr size_t kKinds = 4;

  const double least_;
  const std::function<Clock::time_point()> now_;
  std::array<double, kKinds> pace_ = {};  // seconds per amount, of each kind; 0: not measured yet
  Work work_ = Work::texts;
  double amount_ = 0;
  Clock::time_point begin_;
  std::atomic<Clock::rep> since_{0};
  std::atomic<double> allowed_{0};
};

// The time of a text grows with its tokens in the linear layers, and with their square in attention.
double amount_of(size_t tokens);

}  // namespace locus::serve
