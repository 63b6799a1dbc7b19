// A server whose handler repeats the request, with short deadlines.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "locus/serve/http_server.h"
#include "tests/serve/raw_client.h"

namespace locus::serve {

// Deadlines that a test can wait for.
inline ServerLimits quick_limits() {
  ServerLimits limits;
  limits.request.body = size_t{1} << 20;
  limits.head_time = limits.body_time = limits.idle_time = limits.linger_time = Milliseconds(5000);
  return limits;
}

class EchoServer {
 public:
  explicit EchoServer(const ServerLimits& limits = quick_limits(), HttpHandler handler = echo,
                      std::vector<Listener> listeners = listen_tcp("127.0.0.1", 0),
                      std::function<Admission(const HttpRequest&)> admit = {}) {
    address_ = listeners.front().address;
    server_.emplace(std::move(listeners), limits,
                    ServerHooks{.handle = std::move(handler),
                                .admit = std::move(admit),
                                .finished = [this](const RequestRecord& record) { keep(record); },
                                .counted = [this](size_t connections) { counted_ = connections; }});
  }

  static void echo(const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
    HttpAnswer answer{.type = "text/plain"};
    answer.body = request.method + " " + request.path + "?" + request.query + " " + request.body;
    reply->send(answer);
  }

  const std::string& address() const { return address_; }
  RawClient client() const { return RawClient(address_); }
  HttpServer& server() { return *server_; }
  size_t counted() const { return counted_; }
  void stop() { server_.reset(); }

  // The answer to bytes after which the server closes the connection.
  std::string answer_to(std::string_view bytes) const { return client().send(bytes).read_all(); }

  // The record of request number i, when it is there.
  RequestRecord record(size_t i) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::seconds(5), [&] { return records_.size() > i; });
    return records_.size() > i ? records_[i] : RequestRecord();
  }

 private:
  void keep(const RequestRecord& record) {
    const std::lock_guard lock(mutex_);
    records_.push_back(record);
    came_.notify_all();
  }

  std::string address_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<RequestRecord> records_;
  std::atomic<size_t> counted_{0};
  std::optional<HttpServer> server_;  // last, so that it ends first
};

}  // namespace locus::serve
