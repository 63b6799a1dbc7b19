// Messages between the processes of a job, the ranks. A transport moves bytes and adds nothing: sums are
// computed in a fixed order by the rank that received their terms (tree.h), so results do not depend on the
// transport.
//
// All ranks make the same calls in the same order. A receiver knows how many bytes it expects; a message of
// another size, or of another call, is an error. Every failure that involves another rank is Fault::peer and
// names it. After one, only the destructor may be called.
//
// Any thread may call, one at a time; abort() may be called during a call of another thread, which it ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace locus::dist {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

inline constexpr uint64_t kMostMessageBytes = uint64_t{1} << 40;

// The calls. A message carries the one that sent it.
enum class Call : uint32_t { send = 1, all_to_all, all_gather, barrier };
std::string_view name_of(Call call);

// What a rank has sent to and received from others, and the time that it spent in the calls.
struct Traffic {
  uint64_t sent = 0, received = 0;  // bytes
  double seconds = 0;
  double hidden = 0;  // the part of them in which the rank computed as well, on another thread
  double waited() const { return seconds - hidden; }

  // Adds what happened between two moments.
  void add(const Traffic& from, const Traffic& to) {
    sent += to.sent - from.sent;
    received += to.received - from.received;
    seconds += to.seconds - from.seconds;
    hidden += to.hidden - from.hidden;
  }
};

class Transport {
 public:
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // One message to another rank, which must call receive(). May wait until it does.
  void send(int to, ConstBytes bytes);
  void receive(int from, Bytes bytes);

  // The rank whose message has arrived: receive() will not wait for it. Waits for one, but no longer than
  // this. Only for messages of send(), while no rank is in another call.
  std::optional<int> sender(std::chrono::milliseconds wait);

  // Sends outgoing[r] to every rank r, and fills incoming[r] with the message of rank r. All messages move
  // together, so large ones cannot block each other. The message of a rank to itself is copied.
  void all_to_all(std::span<const ConstBytes> outgoing, std::span<const Bytes> incoming);

  // Sends the same bytes to all ranks, and fills incoming[r] with those of rank r, whose sizes may differ.
  void all_gather(ConstBytes mine, std::span<const Bytes> incoming);

  // Returns when every rank has called it.
  void barrier();

  const Traffic& traffic() const { return traffic_; }
  // The rank computed for this part of the time in calls.
  void hide(double seconds) { traffic_.hidden += seconds; }

  // Tells the other ranks that the job cannot continue. Their calls then fail with this rank and the reason.
  virtual void abort(std::string_view reason) noexcept = 0;

 protected:
  Transport(int rank, int size);

  struct Outgoing {
    int to;
    ConstBytes bytes;
  };
  struct Incoming {
    int from;
    Bytes bytes;
  };
  // Moves all messages and returns when all have moved. Both lists are in ascending order, with each rank at
  // most once and never this one.
  virtual void exchange(Call call, std::span<const Outgoing> outgoing,
                        std::span<const Incoming> incoming) = 0;
  // sender() for several ranks.
  virtual std::optional<int> find_sender(std::chrono::milliseconds wait) = 0;

 private:
  void require_other(const char* what, int rank) const;
  void move(Call call, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming);
  const int rank_, size_;
  Traffic traffic_;
};

// The transport of a process that is alone: rank 0 of 1.
std::unique_ptr<Transport> open_alone();

}  // namespace locus::dist
