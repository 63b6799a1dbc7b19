#include "locus/train/overlapped_sum.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/parallel.h"

namespace locus {

OverlappedSum::OverlappedSum(const RankExchange& exchange, ShardGradients& mine)
    : exchange_(exchange),
      mine_(mine),
      missing_(exchange.gradients_of_rounds()),
      seconds_before_(exchange.transport().traffic().seconds) {
  try {
    thread_ = std::thread([this] { exchange_rounds(); });
  } catch (const std::system_error& error) {
    fail(Fault::resource, "cannot start the thread that exchanges gradients: {}", error.what());
  }
}

OverlappedSum::~OverlappedSum() {
  if (!thread_.joinable()) return;
  give_up("stopped");
  thread_.join();
}

void OverlappedSum::exchange_rounds() {
  try {
    for (int64_t round = 0; round < exchange_.rounds(); ++round) {
      bool computing = false;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return given_up_ || missing_[static_cast<size_t>(round)] == 0; });
        if (given_up_) return;
        computing = computing_;
      }
      // Inside a chunk, sums are added on this thread alone: the others compute.
      const auto sum = [&](int64_t, int64_t) { exchange_.sum_round(round, mine_); };
      computing ? parallel_for(1, 1, sum) : sum(0, 1);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void OverlappedSum::during(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    give_up(error.what());
    throw;
  }
}

void OverlappedSum::complete(size_t i) {
  const auto round = exchange_.round_of(i);
  if (!round) return;
  const std::lock_guard lock(mutex_);
  if (--missing_[static_cast<size_t>(*round)] == 0) changed_.notify_one();
}

void OverlappedSum::finish() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    computing_ = false;
  }
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  const double in_calls = exchange_.transport().traffic().seconds - seconds_before_;
  const double waited = std::chrono::duration<double>(Clock::now() - start).count();
  exchange_.transport().hide(std::max(0.0, in_calls - waited));
  mine_.finish();
}

// A call that waits for other ranks ends, too.
void OverlappedSum::give_up(const char* reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(given_up_, true)) return;
  }
  changed_.notify_one();
  exchange_.transport().abort(reason);
}

}  // namespace locus
