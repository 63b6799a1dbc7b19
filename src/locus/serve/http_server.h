// The server of HTTP/1.1: connections, limits and deadlines. One thread reads, writes and calls the handler.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "locus/serve/http.h"
#include "locus/serve/listener.h"
#include "locus/serve/request_reader.h"

namespace locus::serve {

using Milliseconds = std::chrono::milliseconds;

struct ServerLimits {
  RequestLimits request;
  size_t connections = 1024;
  size_t per_address = 64;            // connections of one IPv4 address, or one IPv6 network of 64 bits
  size_t bodies = size_t{256} << 20;  // bytes of all bodies that are not complete
  Milliseconds head_time{10'000};     // from the first byte of a request to the end of its headers
  Milliseconds body_time{30'000};     // from there to the end of its body
  Milliseconds idle_time{75'000};     // between two requests
  Milliseconds stall_time{30'000};    // a write of which nothing arrives
  Milliseconds ping_time{15'000};     // silence in a stream of events before a comment is sent
  Milliseconds linger_time{2'000};    // for a client to read why its request was refused
};

// What is decided about a request after its head, before its body is read.
struct Admission {
  std::optional<HttpAnswer> answer = {};  // refuses the request, or answers it without its handler
  Headers headers = {};                   // of every answer to it
};

// An answered request, for logs and metrics.
struct RequestRecord {
  std::string id, address, method, path;
  int status = 0;  // 499: the client left before the end of the answer
  uint64_t body_bytes = 0, answer_bytes = 0;
  double seconds = 0;    // from the end of its headers to the end of the answer
  std::string log = {};  // HttpAnswer::log
};

struct ServerHooks {
  HttpHandler handle;
  std::function<Admission(const HttpRequest& head)> admit = {};
  std::function<void(const RequestRecord&)> finished = {};
  std::function<void(size_t)> counted = {};  // open connections, after each change
};

// All hooks are called on the thread of the server.
class HttpServer {
 public:
  HttpServer(std::vector<Listener> listeners, const ServerLimits& limits, ServerHooks hooks);
  ~HttpServer();  // closes all connections
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  size_t connections() const;
  // Accepts no more connections, closes those that wait for a request, and the others after their answer.
  void drain();
  bool wait_until_closed(Milliseconds most) const;  // whether all connections are closed; call drain() first

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace locus::serve
