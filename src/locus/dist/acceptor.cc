#include "locus/dist/acceptor.h"

#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus::dist {
namespace {

// Strangers that connect and say nothing are dropped after this time, and no more than this number wait at
// once.
constexpr std::chrono::seconds kPatience{5};
constexpr int64_t kMostWaiting = 64;

struct Visitor {
  Endpoint from;
  Descriptor socket;
  Clock::time_point until;
  std::array<std::byte, kGreetingBytes> bytes{};
  size_t read = 0;
};
enum class State { waits, done, gone };

class Acceptor {
 public:
  Acceptor(int listener, const Greeting& mine, int first_rank)
      : listener_(listener), mine_(mine), first_rank_(first_rank), has_(static_cast<size_t>(mine.size)) {}

  std::vector<Accepted> run(Clock::time_point deadline) {
    const int64_t expected = 2 * (mine_.size - first_rank_);
    while (std::ssize(accepted_) < expected) {
      if (Clock::now() >= deadline) fail_missing();
      const bool full = std::ssize(visitors_) >= kMostWaiting + expected;
      wait(full, deadline);
      while (!full && let_in()) {
      }
      std::vector<Visitor> staying;
      for (Visitor& visitor : visitors_) {
        if (serve(visitor) == State::waits) staying.push_back(std::move(visitor));
      }
      visitors_.swap(staying);
    }
    return std::move(accepted_);
  }

 private:
  void wait(bool full, Clock::time_point deadline) {
    std::vector<pollfd> waits;
    if (!full) waits.push_back({.fd = listener_, .events = POLLIN, .revents = 0});
    for (const Visitor& visitor : visitors_) {
      waits.push_back({.fd = visitor.socket.get(), .events = POLLIN, .revents = 0});
      deadline = std::min(deadline, visitor.until);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    ::poll(waits.data(), waits.size(), static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
  }

  bool let_in() {
    Descriptor socket = accept_from(listener_);
    if (socket.get() < 0) return false;
    const Endpoint from = Endpoint::remote(socket.get());
    visitors_.push_back({.from = from, .socket = std::move(socket), .until = Clock::now() + kPatience});
    return true;
  }

  State serve(Visitor& visitor) {
    const ssize_t size = read_some(visitor.socket.get(), std::span(visitor.bytes).subspan(visitor.read));
    if (size < 0) return State::gone;
    visitor.read += static_cast<size_t>(size);
    if (visitor.read < kGreetingBytes) return Clock::now() < visitor.until ? State::waits : State::gone;
    const std::optional<Greeting> theirs = decode(visitor.bytes);
    if (!theirs) return State::gone;  // a stranger gets no answer
    Greeting reply = mine_;
    reply.answer = answer_to(*theirs, mine_);
    if (reply.answer == Answer::welcome && !is_expected(*theirs)) reply.answer = Answer::wrong_rank;
    if (reply.answer == Answer::other_job) reply.job.clear();
    const auto bytes = encode(reply);
    if (write_some(visitor.socket.get(), bytes) != std::ssize(bytes)) return State::gone;
    if (reply.answer != Answer::welcome) return State::gone;
    has_[theirs->rank][theirs->purpose == Purpose::watch] = true;
    accepted_.push_back({*theirs, visitor.from, std::move(visitor.socket)});
    return State::done;
  }

  bool is_expected(const Greeting& theirs) const {
    return theirs.rank >= first_rank_ && !has_[theirs.rank][theirs.purpose == Purpose::watch];
  }

  [[noreturn]] void fail_missing() const {
    std::vector<int> missing;
    for (int rank = first_rank_; rank < mine_.size; ++rank) {
      if (!has_[rank][0] || !has_[rank][1]) missing.push_back(rank);
    }
    const Endpoint here = Endpoint::local(listener_);
    const char* const hint =
        here.is_loopback() ? "processes on other machines cannot reach this address" : "see their output";
    fail({Fault::peer, Code::none, hint}, "{} of {} ranks did not connect to rank {} at {} in time: rank {}",
         missing.size(), mine_.size, mine_.rank, here.text(), fmt::join(missing, ", "));
  }

  const int listener_;
  const Greeting& mine_;
  const int first_rank_;
  std::vector<Visitor> visitors_;
  std::vector<Accepted> accepted_;
  std::vector<std::array<bool, 2>> has_;  // connections of each rank
};

void require_right(const std::optional<Greeting>& theirs, const Greeting& mine, int to,
                   const Endpoint& place) {
  if (!theirs) fail(Fault::peer, "{} answers, but is not rank {} of a Locus job", place.text(), to);
  if (theirs->version != mine.version) {
    fail({Fault::peer, Code::none, "install the same version of Locus on all machines"},
         "rank {} at {} speaks version {} of the protocol, expected {}", to, place.text(), theirs->version,
         mine.version);
  }
  if (theirs->answer != Answer::welcome) {
    fail({Fault::peer, Code::none, "give each job another port"}, "rank {} at {} refuses rank {} of {}: {}",
         to, place.text(), mine.rank, mine.size, meaning_of(theirs->answer));
  }
  if (theirs->rank != to || theirs->size != mine.size || theirs->job != mine.job) {
    fail(Fault::peer, "{} is rank {} of {} of job {}, expected rank {} of {} of job {}", place.text(),
         theirs->rank, theirs->size, quote(theirs->job), to, mine.size, quote(mine.job));
  }
}

}  // namespace

std::vector<Accepted> accept_ranks(int listener, const Greeting& mine, int first_rank,
                                   Clock::time_point deadline) {
  return Acceptor(listener, mine, first_rank).run(deadline);
}

Descriptor connect_as(const Greeting& mine, int to, const Endpoint& place, Clock::time_point deadline) {
  constexpr std::chrono::milliseconds kLongestPause{500};
  std::chrono::milliseconds pause{10};
  while (true) {
    std::string problem;
    Descriptor socket = connect_to(place, deadline, problem);
    if (socket.get() >= 0) problem = write_all(socket.get(), encode(mine), deadline);
    std::array<std::byte, kGreetingBytes> answer{};
    if (problem.empty()) problem = read_all(socket.get(), answer, deadline);
    if (problem.empty()) {
      require_right(decode(answer), mine, to, place);
      return socket;
    }
    if (Clock::now() + pause >= deadline) {
      fail({Fault::peer, Code::none, "see the output of that rank"},
           "rank {} cannot connect to rank {} at {}: {}", mine.rank, to, place.text(), problem);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace locus::dist
