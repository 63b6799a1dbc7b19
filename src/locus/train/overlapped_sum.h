// The gradients of a step are exchanged on a thread of their own while this thread still computes others:
// those of a layer travel while the backward pass is in the layers below.
//
// The rounds have the same order on all ranks (rank_exchange.h), and each begins when this rank has completed
// its gradients. Sums are added in the same order as without this thread.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "locus/train/rank_exchange.h"

namespace locus {

class OverlappedSum {
 public:
  // Both must outlive this object. Until finish() returns, nothing else may use the transport.
  OverlappedSum(const RankExchange& exchange, ShardGradients& mine);
  // Gives the exchange up if finish() was not called.
  ~OverlappedSum();

  // Computes what completes gradients. If it fails, the other ranks fail with the text of its error.
  void during(const std::function<void()>& work);
  // The gradient of parameter i was taken from the last shard. Called once for each parameter.
  void complete(size_t i);
  // After all parameters are complete: waits, and ends as RankExchange::sum() does.
  void finish();

 private:
  void exchange_rounds();
  void give_up(const char* reason) noexcept;

  const RankExchange& exchange_;
  ShardGradients& mine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int64_t> missing_;  // gradients of each round
  bool given_up_ = false, computing_ = true;
  std::exception_ptr failure_;
  double seconds_before_;  // in calls of the transport
  std::thread thread_;
};

}  // namespace locus
