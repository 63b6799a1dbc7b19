#include "locus/serve/watchdog.h"

#include <algorithm>

namespace locus::serve {
namespace {

constexpr double kMargin = 10;
constexpr double kSquare = 1024;    // tokens of a text whose attention costs at most as much as the rest
constexpr double kForgotten = 0.1;  // of the pace by each faster batch; a slower one counts at once

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

double amount_of(size_t tokens) {
  const auto n = static_cast<double>(tokens);
  return n * (1 + n / kSquare);
}

void Watchdog::begin(Work work, double amount) {
  work_ = work;
  amount_ = std::max(amount, 1.0);
  begin_ = now_();
  const double pace = pace_[static_cast<size_t>(work)];
  allowed_ = pace > 0 ? std::max(least_, kMargin * pace * amount_) : kMargin * least_;
  since_ = begin_.time_since_epoch().count();
}

void Watchdog::end() {
  if (since_ == 0) return;
  since_ = 0;
  double& pace = pace_[static_cast<size_t>(work_)];
  const double own = seconds(now_() - begin_) / amount_;
  pace = std::max(own, pace + kForgotten * (own - pace));
}

double Watchdog::busy_for() const {
  const Clock::rep since = since_;
  return since == 0 ? 0 : seconds(now_() - Clock::time_point(Clock::duration(since)));
}

}  // namespace locus::serve
