// A model folder behind an address: answers the requests of all routes (call.h). The folder is opened on a
// thread of its own; until then, and while the service drains, requests are refused with 503.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "locus/serve/call.h"
#include "locus/serve/http.h"
#include "locus/serve/metrics.h"
#include "locus/serve/request_threads.h"
#include "locus/serve/service_options.h"

namespace locus::serve {

class Service {
 public:
  explicit Service(ServiceOptions options);
  ~Service();  // ends requests that have no answer yet

  // Returns at once. The reply gets one answer, on any thread.
  void handle(HttpRequest request, const std::shared_ptr<Reply>& reply);

  // Waits until the folder is open and a warm-up batch has run. Throws the error of a folder that cannot be
  // opened.
  void wait_until_ready();
  bool ready() const { return state_ == State::ready; }
  // Whether /health answers 200: ready, and no batch takes too long.
  bool healthy() const;
  std::vector<std::string> warnings() const;  // about the folder; empty until it is open
  void set_connections(size_t count);         // for /metrics

  // Refuses new requests. After `grace`, those without an answer end with 503. Returns when all have one.
  void drain(std::chrono::milliseconds grace);

 private:
  enum class State { loading, ready, failed, draining };

  void open();
  const Route& route_of(const HttpRequest& request) const;
  void check(const HttpRequest& request) const;
  void answer(const Route& route, const HttpRequest& request, Reply& reply);
  HttpAnswer health() const;
  HttpAnswer metrics();
  void end(const HttpRequest& request);

  ServiceOptions options_;
  Metrics metrics_;
  Queue queue_;
  std::unique_ptr<const Heads> heads_;
  std::atomic<State> state_{State::loading};
  std::exception_ptr failure_;  // of opening
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t requests_ = 0, bytes_ = 0;  // without an answer
  std::thread opening_;
  RequestThreads threads_;  // destroyed first: its work uses all others
};

}  // namespace locus::serve
