#include "locus/serve/queue.h"

#include <algorithm>

namespace locus::serve {
namespace {

// Each beam search has its own KV cache, and the sequences of a request are searched one by one.
constexpr int kMostSearches = 8;

double in_seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

constexpr const char* kLeft = "the client has closed the connection";
constexpr const char* kStopping = "the server is shutting down";

}  // namespace

Queue::Queue(QueueLimits limits, Metrics& metrics)
    : limits_(limits), metrics_(metrics), watchdog_(limits.hang), thread_([this] { loop(); }) {}

Queue::~Queue() {
  cancel(kDraining);
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Queue::cancel(const RefusalKind& why) {
  {
    const Lock lock(mutex_);
    cancelled_ = why;
  }
  wake_.notify_one();
  search_left_.notify_all();
}

int64_t Queue::waiting_tokens() const {
  const Lock lock(mutex_);
  return waiting_tokens_;
}

// All of a request or nothing of it. Called with the lock.
void Queue::admit(int64_t tokens) {
  if (cancelled_) throw Refused(*cancelled_, kStopping);
  if (tokens > limits_.request_tokens) {
    throw Refused(kTooLarge, fmt::format("the request has {} tokens, expected at most {}", tokens,
                                         limits_.request_tokens));
  }
  if (waiting_tokens_ > 0 && waiting_tokens_ + tokens > limits_.waiting_tokens) {
    throw Refused(kFull, fmt::format("the queue is full: {} tokens wait, and the request has {}, expected at "
                                     "most {} in total",
                                     waiting_tokens_, tokens, limits_.waiting_tokens));
  }
  waiting_tokens_ += tokens;
}

void Queue::wait(Lock& lock, Job& job) {
  wake_.notify_one();
  job.changed.wait(lock, [&] { return job.done; });
  if (job.failure) std::rethrow_exception(job.failure);
}

void Queue::start(Job& job) const {
  if (job.started) return;
  job.started = Clock::now();
  job.ticket.waited_ += in_seconds(*job.started - job.arrived);
  metrics_.observe("locus_queue_seconds", in_seconds(*job.started - job.arrived));
}

// Called with the lock. The job may not exist after this.
void Queue::finish(Job& job) {
  if (job.started) job.ticket.computed_ += in_seconds(Clock::now() - *job.started);
  job.done = true;
  job.changed.notify_one();
}

// Whether nobody waits for the job, or it waited too long. Then it has a failure.
bool Queue::is_dropped(Job& job) const {
  const auto drop = [&](const RefusalKind& why, const std::string& message) {
    job.failure = std::make_exception_ptr(Refused(why, message));
    return true;
  };
  if (job.ticket.gone()) return drop(kGone, kLeft);
  if (cancelled_) return drop(*cancelled_, kStopping);
  if (job.started || Clock::now() - job.arrived <= limits_.wait) return false;
  return drop(kDeadline, fmt::format("the request waited longer than {} s", in_seconds(limits_.wait)));
}

// Ends the jobs that are dropped. Called with the lock, between batches.
void Queue::drop_jobs() {
  for (RunJob* job : std::exchange(runs_, {})) {
    if (is_dropped(*job)) {
      finish(*job);
    } else {
      runs_.push_back(job);
    }
  }
  for (ReadJob* job : std::exchange(reads_, {})) {
    if (is_dropped(*job)) {
      waiting_tokens_ -= job->tokens_left();
      finish(*job);
    } else {
      reads_.push_back(job);
    }
  }
  for (WriteJob* job : writes_) {
    if (is_dropped(*job)) ending_.push_back(job);
  }
  for (const auto& [id, sequence] : sequences_) {
    if (is_dropped(*sequence.job)) ending_.push_back(sequence.job);
  }
  finish_written();
}

void Queue::loop() {
  const NoGrad no_grad;
  Lock lock(mutex_);
  for (;;) {
    drop_jobs();
    bool worked = run_pieces(lock);
    drop_jobs();
    worked = read_batch(lock) || worked;
    drop_jobs();
    worked = write_step(lock) || worked;
    if (worked) continue;
    if (stopping_) return;
    wake_.wait(lock, [&] { return stopping_ || !runs_.empty() || !reads_.empty() || !writes_.empty(); });
  }
}

bool Queue::run_pieces(Lock& lock) {
  if (runs_.empty()) return false;
  const std::deque<RunJob*> pieces = std::exchange(runs_, {});
  for (RunJob* piece : pieces) start(*piece);
  lock.unlock();
  watchdog_.begin(Watchdog::Work::search, static_cast<double>(pieces.size()));
  for (RunJob* piece : pieces) {
    try {
      piece->work();
    } catch (...) {
      piece->failure = std::current_exception();
    }
  }
  watchdog_.end();
  lock.lock();
  for (RunJob* piece : pieces) finish(*piece);
  return true;
}

void Queue::run(RunJob& job) {
  Lock lock(mutex_);
  if (cancelled_) throw Refused(*cancelled_, kStopping);
  if (job.ticket.gone()) throw Refused(kGone, kLeft);
  runs_.push_back(&job);
  wait(lock, job);
}

void Queue::enter_search(const Ticket& ticket) {
  Lock lock(mutex_);
  const Clock::time_point last = Clock::now() + limits_.wait;
  while (searches_ >= kMostSearches && !cancelled_) {
    if (ticket.gone()) throw Refused(kGone, kLeft);
    if (Clock::now() > last) throw Refused(kDeadline, "the request waited too long for a beam search to end");
    search_left_.wait_for(lock, std::chrono::milliseconds(100));
  }
  ++searches_;
}

void Queue::leave_search() {
  {
    const Lock lock(mutex_);
    --searches_;
  }
  search_left_.notify_one();
}

Ticket::~Ticket() {
  if (searching_) queue_.leave_search();
}

void Ticket::run(const std::function<void()>& work) {
  if (!searching_) queue_.enter_search(*this);
  searching_ = true;
  Queue::RunJob job{{*this}, work};
  queue_.run(job);
}

}  // namespace locus::serve
