// Ranks as threads of this process, each with its own TCP transport on 127.0.0.1.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "locus/base/error.h"
#include "locus/dist/tcp.h"

namespace locus::dist {

// A port on which nobody listens. It is below the ports that the system gives to connections. Processes that
// test at the same time begin far from each other, because a port that is free now can be taken before its
// use.
inline int free_port() {
  static int next = 20'000 + ::getpid() % 1'000 * 97 % 12'000;
  while (true) {
    next = next < 32'000 ? next + 1 : 20'000;
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons(static_cast<uint16_t>(next));
    const bool is_free = ::bind(probe, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0;
    ::close(probe);
    if (is_free) return next;
  }
}

inline Identity local_rank_of(int rank, int size, int port, const std::string& job = "test") {
  return {.rank = rank, .size = size, .address = "127.0.0.1", .port = port, .job = job};
}

inline TcpOptions quick_options() {
  return {.start_timeout = std::chrono::seconds(20), .peer_timeout = std::chrono::seconds(20)};
}

using RankFunction = std::function<void(Transport&)>;

// Runs f on every rank. Returns the error of each rank, or nothing.
inline std::vector<std::optional<Error>> run_ranks(int size, const RankFunction& f,
                                                   const std::function<TcpOptions(int rank)>& options = {}) {
  const int port = free_port();
  std::vector<std::optional<Error>> errors(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto transport =
            open_tcp(local_rank_of(rank, size, port), options ? options(rank) : quick_options());
        f(*transport);
      } catch (const Error& error) {
        errors[rank] = error;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// Bytes that depend on sender, receiver and round. They repeat after a prime number of bytes.
inline std::vector<std::byte> message(int from, int to, int round, size_t size) {
  constexpr size_t kPeriod = 4093;
  std::vector<std::byte> bytes(size);
  uint32_t state = static_cast<uint32_t>(from * 977 + to * 31 + round * 7 + 1);
  for (size_t i = 0; i < std::min(size, kPeriod); ++i) {
    state = state * 1664525u + 1013904223u;
    bytes[i] = static_cast<std::byte>(state >> 24);
  }
  for (size_t done = kPeriod; done < size; done *= 2) {
    std::copy_n(bytes.data(), std::min(done, size - done), bytes.data() + done);
  }
  return bytes;
}

// Every rank sends `size` bytes to every rank. Whether all arrived as they were sent.
inline bool exchange_all(Transport& transport, int round, size_t size) {
  std::vector<std::vector<std::byte>> out, in;
  for (int r = 0; r < transport.size(); ++r) {
    out.push_back(message(transport.rank(), r, round, size));
    in.emplace_back(size);
  }
  transport.all_to_all(std::vector<ConstBytes>(out.begin(), out.end()),
                       std::vector<Bytes>(in.begin(), in.end()));
  for (int r = 0; r < transport.size(); ++r) {
    if (in[r] != message(r, transport.rank(), round, size)) return false;
  }
  return true;
}

}  // namespace locus::dist
