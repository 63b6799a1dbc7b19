// A client that sends any bytes to a server, valid or not, and reads what comes back.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

#include "locus/base/error.h"
#include "locus/base/parse.h"

namespace locus::serve {

class RawClient {
 public:
  // "http://127.0.0.1:8080", "http://[::1]:8080" or "unix:/path", as in Listener::address
  explicit RawClient(const std::string& address) {
    sockaddr_storage to{};
    socklen_t size = 0;
    if (address.starts_with("unix:")) {
      auto& file = reinterpret_cast<sockaddr_un&>(to);
      file.sun_family = AF_UNIX;
      std::strncpy(file.sun_path, address.c_str() + 5, sizeof(file.sun_path) - 1);
      size = sizeof(file);
    } else {
      const uint16_t port =
          htons(static_cast<uint16_t>(parse<int>(address.substr(address.rfind(":") + 1)).value()));
      if (address.starts_with("http://[")) {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(to);
        v6.sin6_family = AF_INET6;
        v6.sin6_addr = in6addr_loopback;
        v6.sin6_port = port;
        size = sizeof(v6);
      } else {
        auto& v4 = reinterpret_cast<sockaddr_in&>(to);
        v4.sin_family = AF_INET;
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        v4.sin_port = port;
        size = sizeof(v4);
      }
    }
    socket_ = ::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(::connect(socket_, reinterpret_cast<sockaddr*>(&to), size) == 0, "cannot connect to {}", address);
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }

  RawClient& send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;  // the server closed the connection; its answer can still be read
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return *this;
  }

  // Reads until `text` arrives, and returns everything up to its end. It returns less if the server closes
  // the connection, or after five seconds.
  std::string read_until(std::string_view text) {
    size_t end = read_.find(text);
    while (end == std::string::npos && read_more()) end = read_.find(text);
    const size_t size = end == std::string::npos ? read_.size() : end + text.size();
    std::string result = read_.substr(0, size);
    read_.erase(0, size);
    return result;
  }
  // Everything until the server closes the connection.
  std::string read_all() {
    while (read_more()) {
    }
    return std::exchange(read_, "");
  }
  bool is_closed() { return read_all().empty() && closed_; }

  // One answer that has a content-length.
  std::string read_answer() {
    const std::string head = read_until("\r\n\r\n");
    const size_t at = head.find("content-length: ");
    if (at == std::string::npos) return head;
    const size_t from = at + std::string_view("content-length: ").size();
    const auto size = parse<uint64_t>(head.substr(from, head.find("\r\n", from) - from)).value();
    while (read_.size() < size && read_more()) {
    }
    std::string result = head + read_.substr(0, size);
    read_.erase(0, size);
    return result;
  }

 private:
  bool read_more() {
    constexpr int kPatience = 5000;  // milliseconds
    pollfd wait{.fd = socket_, .events = POLLIN};
    if (::poll(&wait, 1, kPatience) <= 0) return false;
    std::array<char, 65536> piece{};
    const ssize_t size = ::recv(socket_, piece.data(), piece.size(), 0);
    closed_ = size <= 0;
    if (size > 0) read_.append(piece.data(), static_cast<size_t>(size));
    return size > 0;
  }

  int socket_ = -1;
  bool closed_ = false;
  std::string read_;
};

// The body of an answer.
inline std::string body_of(const std::string& answer) {
  const size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

// The status of an answer, or 0.
inline int status_of(const std::string& answer) {
  constexpr std::string_view kStart = "HTTP/1.1 ";
  if (!answer.starts_with(kStart)) return 0;
  return parse<int>(answer.substr(kStart.size(), 3)).value_or(0);
}

}  // namespace locus::serve
