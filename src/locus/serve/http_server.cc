#include "locus/serve/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "locus/serve/answer_text.h"
#include "locus/serve/connection.h"
#include "locus/serve/error_answer.h"
#include "locus/serve/request_id.h"

namespace locus::serve {
namespace {

using boost::asio::generic::stream_protocol;
using ErrorCode = boost::system::error_code;

// Where a connection comes from.
struct Peer {
  std::string address;  // for the log
  std::string group;    // that shares a limit; empty: not limited
};

Peer peer_of(const sockaddr_storage& from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (from.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return {text.data(), text.data()};
  }
  if (from.ss_family != AF_INET6) return {"unix", ""};
  in6_addr v6 = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
  const bool is_v4 = IN6_IS_ADDR_V4MAPPED(&v6);
  ::inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? &v6.s6_addr[12] : &v6.s6_addr[0], text.data(), text.size());
  Peer peer{text.data(), text.data()};
  if (is_v4) return peer;
  std::fill(std::begin(v6.s6_addr) + 8, std::end(v6.s6_addr), uint8_t{0});
  ::inet_ntop(AF_INET6, &v6, text.data(), text.size());
  peer.group = text.data();
  return peer;
}

// A listener while its connections are accepted. Callbacks share it, because one can be on its way when the
// door closes.
struct Door {
  Door(boost::asio::io_context& io, Listener listener_)
      : listener(std::move(listener_)), events(io, listener.socket.get()), pause(io) {}
  ~Door() { events.release(); }  // the listener closes the socket
  void close() {
    open = false;
    events.cancel();
    pause.cancel();
  }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  Listener listener;
  bool open = true;
  boost::asio::posix::stream_descriptor events;
  boost::asio::steady_timer pause;
};

}  // namespace

struct HttpServer::State {
  State(std::vector<Listener> listeners, const ServerLimits& limits, ServerHooks hooks);

  void wait_at(const std::shared_ptr<Door>& door);
  void accept_at(const std::shared_ptr<Door>& door);
  void welcome(int socket, const sockaddr_storage& from);
  void turn_away(int socket, const Peer& peer) const;
  void forget(Connection& connection);
  void close_doors();
  std::vector<std::shared_ptr<Connection>> all() const;
  void drain();
  void close_all();

  Shared shared;
  std::vector<std::shared_ptr<Door>> doors;
  std::map<std::string, size_t> groups;  // connections of each group of addresses
  struct Known {
    std::shared_ptr<Connection> connection;
    std::string group;
  };
  std::map<const Connection*, Known> connections;

  std::mutex mutex;  // of count
  std::condition_variable closed;
  size_t count = 0;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work;
  std::thread thread;
};

HttpServer::State::State(std::vector<Listener> listeners, const ServerLimits& limits, ServerHooks hooks)
    : shared{.limits = limits, .hooks = std::move(hooks)}, work(shared.io->get_executor()) {
  shared.closed = [this](Connection& connection) { forget(connection); };
  for (Listener& listener : listeners) {
    doors.push_back(std::make_shared<Door>(*shared.io, std::move(listener)));
    wait_at(doors.back());
  }
}

void HttpServer::State::wait_at(const std::shared_ptr<Door>& door) {
  using Events = boost::asio::posix::stream_descriptor;
  if (!door->open) return;
  door->events.async_wait(Events::wait_read, [this, door](ErrorCode) { accept_at(door); });
}

void HttpServer::State::accept_at(const std::shared_ptr<Door>& door) {
  constexpr int kTogether = 64;  // then others get their turn
  constexpr auto kPause = std::chrono::milliseconds(100);
  for (int i = 0; i < kTogether && door->open; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof(from);
    const int socket = ::accept4(door->listener.socket.get(), reinterpret_cast<sockaddr*>(&from), &size,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      try {
        welcome(socket, from);
      } catch (const std::exception&) {  // no memory for it
      }
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      door->pause.expires_after(kPause);
      return door->pause.async_wait([this, door](ErrorCode) { wait_at(door); });
    } else if (errno != EINTR && errno != ECONNABORTED) {
      break;
    }
  }
  wait_at(door);
}

void HttpServer::State::welcome(int socket, const sockaddr_storage& from) {
  const Peer peer = peer_of(from);
  size_t& of_group = groups[peer.group];
  const bool many = !peer.group.empty() && of_group >= shared.limits.per_address;
  if (many || connections.size() >= shared.limits.connections) {
    if (of_group == 0) groups.erase(peer.group);
    return turn_away(socket, peer);
  }
  if (from.ss_family != AF_UNIX) {
    const int on = 1;  // small pieces of a stream leave at once
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  Socket stream(*shared.io);
  ErrorCode error;
  stream.assign(stream_protocol(from.ss_family, 0), socket, error);
  if (error) {
    ::close(socket);
    return;
  }
  const auto connection = std::make_shared<Connection>(shared, std::move(stream), peer.address);
  connections[connection.get()] = {connection, peer.group};
  ++of_group;
  {
    const std::lock_guard lock(mutex);
    ++count;
  }
  if (shared.hooks.counted) shared.hooks.counted(connections.size());
  connection->safely([&] { connection->start(); });
}

void HttpServer::State::turn_away(int socket, const Peer& peer) const {
  const HttpAnswer answer = error_answer(
      "", {.status = 503, .message = "the server has too many connections", .code = "too_many_connections"});
  const std::string text = head_text(answer, {}, Framing::length, false) + answer.body;
  [[maybe_unused]] const auto sent = ::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  const Descriptor owner(socket);
  if (!shared.hooks.finished) return;
  shared.hooks.finished(
      {.id = request_id(""), .address = peer.address, .status = 503, .log = "too many connections"});
}

void HttpServer::State::forget(Connection& connection) {
  const auto found = connections.find(&connection);
  if (found == connections.end()) return;
  if (--groups[found->second.group] == 0) groups.erase(found->second.group);
  const Known known = std::move(found->second);  // the connection lives until its caller returns
  connections.erase(found);
  if (shared.hooks.counted) shared.hooks.counted(connections.size());
  const std::lock_guard lock(mutex);
  --count;
  closed.notify_all();
}

void HttpServer::State::close_doors() {
  for (const auto& door : doors) door->close();
  doors.clear();
}

// A copy: connections that close remove themselves from the map.
std::vector<std::shared_ptr<Connection>> HttpServer::State::all() const {
  std::vector<std::shared_ptr<Connection>> result;
  for (const auto& [key, known] : connections) result.push_back(known.connection);
  return result;
}

void HttpServer::State::drain() {
  shared.draining = true;
  close_doors();
  for (const auto& connection : all()) connection->drain();
}

void HttpServer::State::close_all() {
  close_doors();
  for (const auto& connection : all()) connection->close();
  work.reset();
}

HttpServer::HttpServer(std::vector<Listener> listeners, const ServerLimits& limits, ServerHooks hooks)
    : state_(std::make_unique<State>(std::move(listeners), limits, std::move(hooks))) {
  state_->thread = std::thread([state = state_.get()] {
    for (;;) {
      try {
        state->shared.io->run();
        return;
      } catch (const std::exception&) {  // no memory for a new connection
      }
    }
  });
}

HttpServer::~HttpServer() {
  boost::asio::post(*state_->shared.io, [state = state_.get()] { state->close_all(); });
  state_->thread.join();
}

size_t HttpServer::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->count;
}

void HttpServer::drain() {
  boost::asio::post(*state_->shared.io, [state = state_.get()] { state->drain(); });
}

bool HttpServer::wait_until_closed(Milliseconds most) const {
  std::unique_lock lock(state_->mutex);
  return state_->closed.wait_for(lock, most, [&] { return state_->count == 0; });
}

}  // namespace locus::serve
