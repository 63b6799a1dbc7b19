#include "locus/serve/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"

namespace locus::serve {
namespace {

constexpr int kBacklog = 512;

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un unix_file;
  sockaddr_storage storage;
};

std::string reason_of(int error) { return std::strerror(error); }

SocketAddress address_of(int socket) {
  SocketAddress address{};
  socklen_t size = sizeof(address);
  if (::getsockname(socket, &address.any, &size) != 0) {
    fail(Fault::io, "cannot read the address of a socket: {}", reason_of(errno));
  }
  return address;
}

std::string text_of(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.any.sa_family == AF_UNIX) return fmt::format("unix:{}", address.unix_file.sun_path);
  const bool v6 = address.any.sa_family == AF_INET6;
  const void* const bytes = v6 ? static_cast<const void*>(&address.v6.sin6_addr) : &address.v4.sin_addr;
  ::inet_ntop(address.any.sa_family, bytes, text.data(), text.size());
  const int port = ntohs(v6 ? address.v6.sin6_port : address.v4.sin_port);
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", text.data(), v6 ? "]" : "", port);
}

bool is_local(const SocketAddress& address) {
  switch (address.any.sa_family) {
    case AF_UNIX:
      return true;
    case AF_INET:
      return (ntohl(address.v4.sin_addr.s_addr) >> 24) == 127;
    case AF_INET6:
      return IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
    default:
      return false;
  }
}

Listener listener_of(Descriptor socket) {
  const SocketAddress address = address_of(socket.get());
  return {.socket = std::move(socket), .address = text_of(address), .local = is_local(address)};
}

Descriptor new_socket(int family) {
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) fail(Fault::io, "cannot create a socket: {}", reason_of(errno));
  return socket;
}

Listener bound(const SocketAddress& address, socklen_t size, const std::string& place) {
  Descriptor socket = new_socket(address.any.sa_family);
  const int on = 1;  // an address can be used again at once after its server ended
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(socket.get(), &address.any, size) != 0 || ::listen(socket.get(), kBacklog) != 0) {
    const char* const hint =
        errno == EADDRINUSE ? "another process listens there; choose another port, or 0 for any free port"
                            : "";
    fail({Fault::io, Code::none, hint}, "cannot listen on {}: {}", place, reason_of(errno));
  }
  return listener_of(std::move(socket));
}

// "localhost" also has an IPv6 address on machines without IPv6.
bool has_ipv6() {
  SocketAddress address{};
  address.v6.sin6_family = AF_INET6;
  address.v6.sin6_addr = in6addr_loopback;
  const Descriptor socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return socket.get() >= 0 && ::bind(socket.get(), &address.any, sizeof(address.v6)) == 0;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolved(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = fmt::format("{}", port);
  if (const int error = ::getaddrinfo(host.c_str(), service.c_str(), &wanted, &found); error != 0) {
    fail({Fault::usage, Code::none, "use an address of this machine, such as 127.0.0.1 or 0.0.0.0"},
         "cannot resolve the host {}: {}", quote(host), ::gai_strerror(error));
  }
  return {found, ::freeaddrinfo};
}

SocketAddress unix_address(const std::filesystem::path& path) {
  SocketAddress address{};
  address.unix_file.sun_family = AF_UNIX;
  const std::string text = path.string();
  constexpr size_t kMost = sizeof(address.unix_file.sun_path) - 1;
  if (text.empty() || text.size() > kMost) {
    fail(Fault::usage, "the path of a socket has {} bytes: got {}, expected 1 to {} bytes", text.size(),
         quote(text), kMost);
  }
  std::memcpy(address.unix_file.sun_path, text.data(), text.size());
  return address;
}

// A file that no server listens on is removed.
void clear_place(const std::filesystem::path& path, const SocketAddress& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) {
    fail({Fault::io, Code::output_exists, "choose another path"}, "{} exists and is not a socket",
         quote(path.string()));
  }
  const Descriptor probe = new_socket(AF_UNIX);
  if (::connect(probe.get(), &address.any, sizeof(address.unix_file)) == 0 || errno != ECONNREFUSED) {
    fail({Fault::io, Code::output_exists, "stop it, or choose another path"}, "another server listens on {}",
         quote(path.string()));
  }
  ::unlink(path.c_str());
}

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : parse<int>(text);
}

}  // namespace

SocketFile::SocketFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0) path_.clear();
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

SocketFile::~SocketFile() {
  struct stat status {};
  if (path_.empty() || ::lstat(path_.c_str(), &status) != 0) return;
  if (status.st_dev == device_ && status.st_ino == inode_) ::unlink(path_.c_str());
}

std::vector<Listener> listen_tcp(const std::string& host, int port) {
  const Addresses addresses = resolved(host, port);
  std::vector<Listener> listeners;
  for (const addrinfo* next = addresses.get(); next != nullptr; next = next->ai_next) {
    const bool usable = next->ai_family == AF_INET || (next->ai_family == AF_INET6 && has_ipv6());
    if (!usable) continue;
    SocketAddress address{};
    std::memcpy(&address, next->ai_addr, next->ai_addrlen);
    if (!listeners.empty() && port == 0) {  // sin_port and sin6_port are at the same place
      const SocketAddress first = address_of(listeners.front().socket.get());
      address.v4.sin_port = first.v4.sin_port;
    }
    listeners.push_back(bound(address, next->ai_addrlen, text_of(address)));
  }
  if (listeners.empty()) fail(Fault::usage, "the host {} has no IP address", quote(host));
  return listeners;
}

Listener listen_unix(const std::filesystem::path& path) {
  const SocketAddress address = unix_address(path);
  clear_place(path, address);
  Listener listener = bound(address, sizeof(address.unix_file), fmt::format("unix:{}", path.string()));
  return {.socket = std::move(listener.socket),
          .address = std::move(listener.address),
          .local = true,
          .file = SocketFile(path)};
}

std::vector<Listener> systemd_listeners() {
  constexpr int kFirst = 3;
  constexpr int kMost = 64;
  std::vector<Listener> listeners;
  if (number_in("LISTEN_PID") != ::getpid()) return listeners;
  const std::optional<int> count = number_in("LISTEN_FDS");
  if (!count || *count < 0 || *count > kMost) {
    fail(Fault::usage, "LISTEN_FDS is not a number from 0 to {}", kMost);
  }
  for (int i = kFirst; i < kFirst + *count; ++i) {
    int listens = 0;
    socklen_t size = sizeof(listens);
    if (::getsockopt(i, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
      fail(Fault::usage, "descriptor {} of LISTEN_FDS is not a socket that listens", i);
    }
    ::fcntl(i, F_SETFD, FD_CLOEXEC);
    ::fcntl(i, F_SETFL, ::fcntl(i, F_GETFL) | O_NONBLOCK);
    listeners.push_back(listener_of(Descriptor(i)));
  }
  return listeners;
}

}  // namespace locus::serve
