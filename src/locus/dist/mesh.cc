#include "locus/dist/mesh.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "locus/base/error.h"
#include "locus/dist/acceptor.h"

namespace locus::dist {
namespace {

// Connections by rank. A Descriptor cannot be assigned, so they are collected in any order first.
class Connections {
 public:
  void add(int rank, Purpose purpose, Descriptor socket) {
    list_.push_back({rank, purpose, std::move(socket)});
  }
  std::vector<Descriptor> of(Purpose purpose, int size) {
    std::vector<Descriptor> sockets;
    for (int rank = 0; rank < size; ++rank) {
      const auto found = std::ranges::find_if(
          list_, [&](const Entry& entry) { return entry.rank == rank && entry.purpose == purpose; });
      sockets.push_back(found == list_.end() ? Descriptor(-1) : std::move(found->socket));
    }
    return sockets;
  }

 private:
  struct Entry {
    int rank;
    Purpose purpose;
    Descriptor socket;
  };
  std::vector<Entry> list_;
};

// The addresses of all ranks, as rank 0 sees them.
constexpr size_t kAddressBytes = sizeof(sockaddr_in6);

std::vector<std::byte> encode(const std::vector<Endpoint>& places) {
  std::vector<std::byte> bytes(places.size() * kAddressBytes);
  for (size_t i = 0; i < places.size(); ++i) {
    std::memcpy(bytes.data() + i * kAddressBytes, places[i].data(), places[i].size());
  }
  return bytes;
}

Endpoint decode_place(ConstBytes bytes) {
  const std::optional<Endpoint> place = Endpoint::from(bytes);
  if (!place) fail(Fault::peer, "rank 0 sent an address that is neither IPv4 nor IPv6");
  return *place;
}

class Meeting {
 public:
  Meeting(const Identity& identity, std::chrono::milliseconds timeout)
      : deadline_(Clock::now() + timeout),
        place_(Endpoint::of(identity.address, identity.port)),
        mine_{.rank = identity.rank, .size = identity.size, .job = job_name(identity.job)} {}

  Mesh run() {
    mine_.rank == 0 ? meet_as_first() : meet();
    return {.messages = connections_.of(Purpose::messages, mine_.size),
            .watch = connections_.of(Purpose::watch, mine_.size)};
  }

 private:
  void meet_as_first() {
    const Descriptor listener = listen_on(place_);
    std::vector<Accepted> ranks = accept_ranks(listener.get(), mine_, 1, deadline_);
    std::vector<Endpoint> places(static_cast<size_t>(mine_.size), place_);
    for (const Accepted& rank : ranks) {
      if (rank.greeting.purpose == Purpose::watch) {
        places[rank.greeting.rank] = rank.from.with_port(rank.greeting.port);
      }
    }
    require_reachable(places);
    const std::vector<std::byte> roster = encode(places);
    for (const Accepted& rank : ranks) {
      if (rank.greeting.purpose != Purpose::messages) continue;
      const std::string problem = write_all(rank.socket.get(), roster, deadline_);
      if (!problem.empty()) fail_start(rank.greeting.rank, problem);
    }
    keep(std::move(ranks));
  }

  void meet() {
    Descriptor first = connect_as(mine_, 0, place_, deadline_);
    // Only the network that leads to rank 0 reaches this rank.
    const Descriptor listener = listen_on(Endpoint::local(first.get()).with_port(0));
    mine_.port = Endpoint::local(listener.get()).port();
    std::vector<std::byte> roster(static_cast<size_t>(mine_.size) * kAddressBytes);
    connect(0, Purpose::watch, place_);
    if (const std::string problem = read_all(first.get(), roster, deadline_); !problem.empty()) {
      fail({Fault::peer, Code::none, "see the output of rank 0"},
           "rank {} waits for the other ranks of {}, but rank 0 at {} does not name them: {}", mine_.rank,
           mine_.size, place_.text(), problem);
    }
    connections_.add(0, Purpose::messages, std::move(first));
    for (int rank = 1; rank < mine_.rank; ++rank) {
      const Endpoint place = decode_place(std::span(roster).subspan(rank * kAddressBytes, kAddressBytes));
      connect(rank, Purpose::messages, place);
      connect(rank, Purpose::watch, place);
    }
    keep(accept_ranks(listener.get(), mine_, mine_.rank + 1, deadline_));
  }

  void connect(int rank, Purpose purpose, const Endpoint& place) {
    Greeting greeting = mine_;
    greeting.purpose = purpose;
    connections_.add(rank, purpose, connect_as(greeting, rank, place, deadline_));
  }

  void keep(std::vector<Accepted> ranks) {
    for (Accepted& rank : ranks) {
      connections_.add(rank.greeting.rank, rank.greeting.purpose, std::move(rank.socket));
    }
  }

  // A loopback address means another machine to every rank.
  void require_reachable(const std::vector<Endpoint>& places) const {
    const auto loopback = std::ranges::count_if(places, &Endpoint::is_loopback);
    if (loopback == 0 || loopback == std::ssize(places)) return;
    const auto rank = std::ranges::find_if(places, &Endpoint::is_loopback) - places.begin();
    fail({Fault::usage, Code::none, "give an address of rank 0 that all machines reach"},
         "rank {} is at the loopback address {}, which ranks on other machines cannot reach", rank,
         places[rank].text());
  }

  [[noreturn]] void fail_start(int rank, const std::string& problem) const {
    fail({Fault::peer, Code::none, "see the output of that rank"}, "rank {} of {} failed at the start: {}",
         rank, mine_.size, problem);
  }

  const Clock::time_point deadline_;
  const Endpoint place_;
  Greeting mine_;
  Connections connections_;
};

}  // namespace

Mesh connect_ranks(const Identity& identity, std::chrono::milliseconds timeout) {
  if (identity.address.empty() || identity.port == 0) {
    fail({Fault::usage, Code::none, "set MASTER_ADDR and MASTER_PORT, the same for all processes"},
         "the address of rank 0 is not known to rank {} of {}", identity.rank, identity.size);
  }
  return Meeting(identity, timeout).run();
}

}  // namespace locus::dist
