#include "locus/dist/socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus::dist {
namespace {

Descriptor open_socket(int family) {
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) fail(Fault::io, "cannot create a socket: {}", reason_of(errno));
  return socket;
}

void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

// 0: it would block. -1: the connection is closed or broken.
ssize_t moved(ssize_t result) {
  if (result >= 0) return result;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

int error_of(int socket) {
  int error = 0;
  socklen_t size = sizeof(error);
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace

std::string reason_of(int error) { return std::strerror(error); }

Endpoint Endpoint::of(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = fmt::format("{}", port);
  if (const int error = ::getaddrinfo(host.c_str(), service.c_str(), &wanted, &found); error != 0) {
    fail({Fault::usage, Code::none, "give an address or name of the machine of rank 0"},
         "cannot resolve the address of rank 0, {}: {}", quote(host), ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, ::freeaddrinfo);
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    if (next->ai_family != AF_INET && next->ai_family != AF_INET6) continue;
    Endpoint endpoint;
    std::memcpy(&endpoint.address_, next->ai_addr,
                std::min<size_t>(next->ai_addrlen, sizeof(endpoint.address_)));
    return endpoint;
  }
  fail(Fault::usage, "the address of rank 0, {}, has no IP address", quote(host));
}

Endpoint Endpoint::local(int socket) {
  Endpoint endpoint;
  socklen_t size = sizeof(endpoint.address_);
  if (::getsockname(socket, &endpoint.address_.any, &size) != 0) {
    fail(Fault::io, "cannot read the address of a socket: {}", reason_of(errno));
  }
  return endpoint;
}

Endpoint Endpoint::remote(int socket) {
  Endpoint endpoint;
  socklen_t size = sizeof(endpoint.address_);
  if (::getpeername(socket, &endpoint.address_.any, &size) != 0) return {};  // it has just been closed
  return endpoint;
}

std::optional<Endpoint> Endpoint::from(ConstBytes bytes) {
  Endpoint endpoint;
  if (bytes.size() < sizeof(endpoint.address_.v6)) return std::nullopt;
  std::memcpy(&endpoint.address_, bytes.data(), sizeof(endpoint.address_.v6));
  if (endpoint.family() != AF_INET && endpoint.family() != AF_INET6) return std::nullopt;
  return endpoint;
}

std::string Endpoint::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family() == AF_UNSPEC) return "an unknown address";
  const bool v6 = family() == AF_INET6;
  const void* const bytes = v6 ? static_cast<const void*>(&address_.v6.sin6_addr) : &address_.v4.sin_addr;
  ::inet_ntop(family(), bytes, text.data(), text.size());
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", text.data(), v6 ? "]" : "", port());
}

int Endpoint::port() const {
  return ntohs(family() == AF_INET6 ? address_.v6.sin6_port : address_.v4.sin_port);
}

Endpoint Endpoint::with_port(int port) const {
  Endpoint result = *this;
  (family() == AF_INET6 ? result.address_.v6.sin6_port : result.address_.v4.sin_port) =
      htons(static_cast<uint16_t>(port));
  return result;
}

bool Endpoint::is_loopback() const {
  if (family() == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&address_.v6.sin6_addr);
  return family() == AF_INET && (ntohl(address_.v4.sin_addr.s_addr) >> 24) == 127;
}

socklen_t Endpoint::size() const { return family() == AF_INET6 ? sizeof(address_.v6) : sizeof(address_.v4); }

Descriptor listen_on(const Endpoint& place) {
  constexpr int kBacklog = 4096;  // all ranks may connect at the same moment
  Descriptor socket = open_socket(place.family());
  const int on = 1;  // an address can be used again at once after its job ended
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(socket.get(), place.data(), place.size()) != 0 || ::listen(socket.get(), kBacklog) != 0) {
    const int error = errno;
    const char* const hint = error == EADDRINUSE ? "another job or program listens there; choose another port"
                             : error == EADDRNOTAVAIL ? "the address of rank 0 must be one of its machine's"
                                                      : "";
    fail({Fault::io, Code::none, hint}, "rank 0 cannot listen on {}: {}", place.text(), reason_of(error));
  }
  return socket;
}

Descriptor accept_from(int listener) {
  Descriptor socket(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.get() >= 0) send_at_once(socket.get());
  return socket;
}

Descriptor connect_to(const Endpoint& place, Clock::time_point deadline, std::string& problem) {
  Descriptor socket = open_socket(place.family());
  if (::connect(socket.get(), place.data(), place.size()) != 0) {
    int error = errno;
    if (error == EINPROGRESS)
      error = wait_for(socket.get(), POLLOUT, deadline) ? error_of(socket.get()) : ETIMEDOUT;
    if (error != 0) {
      problem = reason_of(error);
      return Descriptor(-1);
    }
  }
  send_at_once(socket.get());
  return socket;
}

bool wait_for(int socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wait{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
    if (ready > 0) return true;
    if (left <= 0) return false;
  }
}

ssize_t read_some(int socket, Bytes bytes) {
  const ssize_t result = ::recv(socket, bytes.data(), bytes.size(), 0);
  return result == 0 && !bytes.empty() ? -1 : moved(result);
}

ssize_t write_some(int socket, ConstBytes bytes) {
  return moved(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

std::string read_all(int socket, Bytes bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t read = read_some(socket, bytes);
    if (read < 0) return "it closed the connection";
    bytes = bytes.subspan(static_cast<size_t>(read));
    if (read == 0 && !wait_for(socket, POLLIN, deadline)) return "no answer in time";
  }
  return "";
}

std::string write_all(int socket, ConstBytes bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t written = write_some(socket, bytes);
    if (written < 0) return "it closed the connection";
    bytes = bytes.subspan(static_cast<size_t>(written));
    if (written == 0 && !wait_for(socket, POLLOUT, deadline)) return "no answer in time";
  }
  return "";
}

}  // namespace locus::dist
