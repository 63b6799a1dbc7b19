// TCP sockets that do not block, with deadlines.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>

#include "locus/base/file.h"
#include "locus/dist/transport.h"

namespace locus::dist {

using Clock = std::chrono::steady_clock;

// An address and port of IPv4 or IPv6.
class Endpoint {
 public:
  Endpoint() = default;
  // The first address of a host. Fails with Fault::usage if it has none.
  static Endpoint of(const std::string& host, int port);
  static Endpoint local(int socket);   // of this end of a connection
  static Endpoint remote(int socket);  // of the other end
  // From a copy of data(); nothing if it is not an address of IPv4 or IPv6.
  static std::optional<Endpoint> from(ConstBytes bytes);

  std::string text() const;  // "127.0.0.1:4000", "[::1]:4000"
  int port() const;
  Endpoint with_port(int port) const;
  bool is_loopback() const;

  const sockaddr* data() const { return &address_.any; }
  socklen_t size() const;
  int family() const { return address_.any.sa_family; }

 private:
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } address_{};
};

// The text of errno.
std::string reason_of(int error);

// Listens on this address only. Port 0 chooses a free port.
Descriptor listen_on(const Endpoint& place);

// Accepts a connection, or returns -1 if none waits.
Descriptor accept_from(int listener);

// Connects, or returns -1 and sets `problem`.
Descriptor connect_to(const Endpoint& place, Clock::time_point deadline, std::string& problem);

// Waits until a socket can be read (POLLIN) or written (POLLOUT). False: the deadline has passed.
bool wait_for(int socket, short events, Clock::time_point deadline);

// Moves as many bytes as possible without waiting. Returns their number; -1: the connection is closed or
// broken.
ssize_t read_some(int socket, Bytes bytes);
ssize_t write_some(int socket, ConstBytes bytes);

// Move all bytes before the deadline. The text says what went wrong; empty: nothing.
std::string read_all(int socket, Bytes bytes, Clock::time_point deadline);
std::string write_all(int socket, ConstBytes bytes, Clock::time_point deadline);

}  // namespace locus::dist
