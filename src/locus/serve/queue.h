// The queue of texts and sequences of all requests, and the one thread that computes them. A batch has about
// `batch_tokens` tokens. It takes one text of each request in turn, so a list of 2048 texts does not delay a
// single one by more than a batch. The thread never waits for more texts. It alternates between a batch of
// texts and one token of every generated sequence.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "locus/apply/compute.h"
#include "locus/serve/metrics.h"
#include "locus/serve/refused.h"
#include "locus/serve/watchdog.h"

namespace locus::serve {

struct QueueLimits {
  int64_t batch_tokens = 4096;
  // Generated sequences join while those that are there have fewer tokens: the memory of their KV caches.
  int64_t cache_tokens = 32'768;
  int64_t waiting_tokens = 64 * 4096;      // more are refused, unless nothing else waits
  int64_t request_tokens = 300'000;        // most tokens of one request
  std::chrono::milliseconds wait{60'000};  // longest time until the first text of a request is computed
  double hang = 30;                        // least seconds after which a batch counts as hanging (watchdog.h)
};

class Ticket;

class Queue {
 public:
  Queue(QueueLimits limits, Metrics& metrics);
  ~Queue();

  // All work that waits or runs ends with this refusal, and so does later work.
  void cancel(const RefusalKind& why);
  const Watchdog& watchdog() const { return watchdog_; }  // of the current batch or step
  int64_t waiting_tokens() const;

 private:
  friend class Ticket;
  using Lock = std::unique_lock<std::mutex>;

  struct Job {
    Ticket& ticket;
    Clock::time_point arrived = Clock::now();
    std::optional<Clock::time_point> started = {};
    bool done = false;
    std::exception_ptr failure = {};
    std::condition_variable changed = {};
  };
  struct ReadJob : Job {
    const TextModel& model;
    std::span<const Encoding> encodings;
    TextPass pass;
    const TakeRows& take;
    std::span<std::optional<Error>> errors;
    std::vector<size_t> texts = {};  // that are not empty
    size_t next = 0, left = 0;       // in `texts`; not computed yet
    int64_t tokens_left() const;     // in no batch yet
  };
  struct WriteJob : Job {
    const Model& model;
    std::span<const WrittenSequence> sequences;
    const TakeToken& take;
    size_t next = 0, left = 0;
    bool began = false;           // it has its first token
    int64_t tokens_left() const;  // of sequences that have not joined yet
  };
  struct RunJob : Job {
    const std::function<void()>& work;
  };
  struct Text {  // of a batch
    ReadJob* job;
    size_t index;
  };
  struct Sequence {  // that is generated
    WriteJob* job;
    size_t index;
    int64_t tokens;  // in its KV cache
  };

  void read(ReadJob& job);
  void write(WriteJob& job);
  void run(RunJob& job);
  void enter_search(const Ticket& ticket);
  void leave_search();

  void admit(int64_t tokens);
  // Puts a job whose `left` is set into its queue, and waits until it is done.
  template <class SomeJob>
  void enter(SomeJob& job, std::deque<SomeJob*>& jobs) {
    const int64_t tokens = job.tokens_left();
    job.ticket.tokens_ += tokens;
    Lock lock(mutex_);
    admit(tokens);
    jobs.push_back(&job);
    wait(lock, job);
  }
  void wait(Lock& lock, Job& job);
  void start(Job& job) const;
  void finish(Job& job);
  bool is_dropped(Job& job) const;

  void loop();
  void drop_jobs();
  bool run_pieces(Lock& lock);
  bool read_batch(Lock& lock);
  std::vector<Text> next_batch();
  void compute(std::span<const Text> batch);
  bool write_step(Lock& lock);
  std::vector<Sequence> next_sequences();
  void join(std::span<const Sequence> joining);
  void step();
  void take_token(const GeneratedToken& fresh);
  void leave(int64_t id);
  void finish_written();

  const QueueLimits limits_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, search_left_;
  std::deque<RunJob*> runs_;
  std::deque<ReadJob*> reads_;    // with texts that are in no batch yet
  std::deque<WriteJob*> writes_;  // with sequences that have not joined yet
  int64_t waiting_tokens_ = 0;    // of both
  int searches_ = 0;
  std::optional<RefusalKind> cancelled_;
  bool stopping_ = false;
  Watchdog watchdog_;
  // Only the thread of the queue uses these.
  std::optional<Generation> generation_;
  std::map<int64_t, Sequence> sequences_;  // by id
  int64_t sequence_tokens_ = 0;
  std::vector<WriteJob*> ending_;  // jobs whose sequences have all left, or that failed
  std::thread thread_;
};

// What one request asks of the queue, and what that took. Not thread-safe.
class Ticket final : public Compute {
 public:
  // gone() is true when nobody waits for the answer any more. Every thread may call it.
  Ticket(Queue& queue, std::function<bool()> gone) : queue_(queue), gone_(std::move(gone)) {}
  ~Ticket() override;

  void read(const TextModel& model, std::span<const Encoding> encodings, const TextPass& pass,
            const TakeRows& take, std::span<std::optional<Error>> errors) override;
  void write(const Model& model, std::span<const WrittenSequence> sequences, const TakeToken& take) override;
  void run(const std::function<void()>& work) override;

  bool gone() const { return gone_(); }
  int64_t tokens() const { return tokens_; }     // that went through the model as texts or prompts
  double waited() const { return waited_; }      // seconds in the queue
  double computed() const { return computed_; }  // seconds from the first batch to the last
  bool searches() const { return searching_; }   // whether a beam search has started

 private:
  friend class Queue;
  Queue& queue_;
  std::function<bool()> gone_;
  int64_t tokens_ = 0;
  double waited_ = 0, computed_ = 0;
  bool searching_ = false;
};

}  // namespace locus::serve
