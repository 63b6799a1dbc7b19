// Watches the other ranks of a job. A thread of its own sends every rank a sign of life, and reads theirs, on
// connections that carry nothing else: a rank that computes for minutes is alive, and one that is stopped,
// hangs in the kernel or has lost its network is not.
//
// The first failure is kept and reported to all ranks, also by ranks that heard of it. So a rank that ends
// because of another has named it before its own connections close, and all ranks name the same culprit.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "locus/dist/socket.h"

namespace locus::dist {

struct PeerFailure {
  int rank = 0;
  std::string text;  // what the rank did: "closed its connection"
};

class PeerWatch {
 public:
  // peers[r] is the connection to rank r, and has no file for this rank. `start` is the longest time until
  // the first sign of life: other ranks may still be connecting to each other.
  PeerWatch(int rank, std::vector<Descriptor> peers, std::chrono::milliseconds timeout,
            std::chrono::milliseconds start);
  // Tells all ranks that this one leaves on purpose.
  ~PeerWatch();

  // Throws Fault::peer if a rank has failed.
  void check() const;
  // The same for a caller whose connection to `rank` broke: waits until it is known that a rank has failed,
  // or that `rank` has left on purpose.
  void check_for(int rank, std::chrono::milliseconds wait) const;
  // Becomes readable when a rank has failed.
  int event() const { return failed_event_.get(); }
  // Tells all ranks that `culprit` has failed.
  void report(PeerFailure failure) noexcept;

 private:
  struct Peer {
    int rank;
    Descriptor socket;
    Clock::time_point heard;
    std::vector<std::byte> read = {};  // the beginning of a message
    bool left = false;                 // on purpose
    bool stuck = false;                // does not read: nothing more is sent
  };
  enum class Kind : uint8_t { alive = 1, leaves = 2, failed = 3 };

  void loop();
  void read_from(Peer& peer);
  void take_messages(Peer& peer);
  void send_to(Peer& peer, Kind kind, const PeerFailure& failure);
  void send_to_all(Kind kind, const PeerFailure& failure);
  void find_silent();
  void fail_with(PeerFailure failure);
  [[noreturn]] void throw_failure() const;

  const int rank_;
  const std::chrono::milliseconds timeout_, interval_;
  Descriptor failed_event_, wake_;
  mutable std::mutex mutex_;  // of everything below
  mutable std::condition_variable failed_;
  std::vector<Peer> peers_;
  std::optional<PeerFailure> failure_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace locus::dist
