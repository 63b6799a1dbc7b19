// Jobs for whichever rank is free. Rank 0 hands out jobs and takes their answers; the other ranks serve it.
// Jobs and answers are bytes. Rank 0 can do jobs as well, if it looks for answers in between.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "locus/dist/transport.h"

namespace locus::dist {

// A number other than 0 asks to stop the job on all ranks, for example that of a signal.
using StopAsked = std::function<int()>;

// Thrown on rank 0 when a rank asks to stop.
struct Stop {
  int number = 0;
};

// On rank 0. After an error of another rank, only the destructor may be called.
class Crew {
 public:
  Crew(Transport& transport, StopAsked stop_asked);

  int ranks() const { return transport_.size() - 1; }  // the others
  std::optional<int> free_rank() const;
  bool is_busy() const;  // whether any rank has a job
  // The rank must be free.
  void give(int rank, ConstBytes job);

  struct Answer {
    int rank = 0;
    std::vector<std::byte> bytes;
  };
  // The answer of a rank, which is free then. Throws Stop if any rank asks to stop.
  std::optional<Answer> arrived();  // nothing if none has arrived
  Answer wait();                    // some rank must be busy

  // Ends serve() on all other ranks, where it returns `number`. Returns the answers of jobs that ended
  // meanwhile. With number 0, no rank may be busy. No other function may be called afterwards.
  std::vector<Answer> dismiss(int number);

 private:
  std::optional<Answer> take(std::chrono::milliseconds wait);

  Transport& transport_;
  StopAsked stop_asked_;
  std::vector<bool> busy_;
};

// On the other ranks: computes the answer of a job. It calls `pause` repeatedly, which throws if the job is
// to be given up.
using Pause = std::function<void()>;
using DoJob = std::function<std::vector<std::byte>(ConstBytes job, const Pause& pause)>;

// Does jobs until rank 0 dismisses its crew. Returns the number that it was dismissed with.
int serve(Transport& transport, const DoJob& do_job, const StopAsked& stop_asked);

}  // namespace locus::dist
