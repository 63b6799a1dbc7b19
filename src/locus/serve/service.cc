#include "locus/serve/service.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "locus/base/json.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/serve/process_use.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

// A token of a text has few bytes, so a queue that is full of bytes is also full of tokens.
constexpr int64_t kBytesOfToken = 16;

bool is_json(std::string_view type) {
  constexpr std::string_view kJson = "application/json";
  const std::string_view after = type.substr(std::min(type.size(), kJson.size()));
  return (after.empty() || after.starts_with(';') || after.starts_with(' ')) &&
         std::ranges::equal(type.substr(0, kJson.size()), kJson, {},
                            [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

bool is_probe(std::string_view path) { return path == "/health" || path == "/ping"; }

// The exception that is being handled. A beam search has read its texts, and scores tokens on the thread of
// the request: what fails then is the model.
std::exception_ptr failure_of(const Ticket& ticket) {
  try {
    throw;
  } catch (const Refused&) {
    return std::current_exception();
  } catch (const Error& error) {
    return ticket.searches() ? std::make_exception_ptr(model_error(error)) : std::current_exception();
  } catch (...) {
    return std::current_exception();
  }
}

ServiceOptions named(ServiceOptions options) {
  if (options.name.empty()) options.name = absolute_path(options.folder).filename().string();
  return options;
}

}  // namespace

Service::Service(ServiceOptions options)
    : options_(named(std::move(options))), queue_(options_.queue, metrics_), opening_([this] { open(); }) {}

Service::~Service() {
  state_ = State::draining;
  queue_.cancel(kDraining);
  opening_.join();
}

void Service::open() {
  try {
    auto heads = std::make_unique<Heads>(options_.folder, options_.weights, options_.device);
    heads->warm_up();
    const std::lock_guard lock(mutex_);
    heads_ = std::move(heads);
    State loading = State::loading;
    state_.compare_exchange_strong(loading, State::ready);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    state_ = State::failed;
  }
  changed_.notify_all();
}

void Service::wait_until_ready() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return state_ != State::loading; });
  if (failure_) std::rethrow_exception(failure_);
}

bool Service::healthy() const { return ready() && !queue_.watchdog().hangs(); }

std::vector<std::string> Service::warnings() const {
  const std::lock_guard lock(mutex_);
  return heads_ ? heads_->warnings() : std::vector<std::string>();
}

void Service::drain(std::chrono::milliseconds grace) {
  state_ = State::draining;
  std::unique_lock lock(mutex_);
  const auto empty = [this] { return requests_ == 0; };
  if (changed_.wait_for(lock, grace, empty)) return;
  queue_.cancel(kDraining);
  changed_.wait(lock, empty);
}

HttpAnswer Service::health() const {
  switch (state_.load()) {
    case State::loading:
      throw Refused(kLoading, "the model is loading");
    case State::failed:
      throw Refused(kLoading, "the model cannot be opened");
    case State::draining:
      throw Refused(kDraining, "the server is shutting down");
    case State::ready:
      break;
  }
  if (!healthy()) {
    const Watchdog& dog = queue_.watchdog();
    throw Refused(kStuck, fmt::format("a batch has been running for {:.0f} s, expected at most {:.0f} s",
                                      dog.busy_for(), dog.allowed()));
  }
  return {.body = R"({"status": "ok"})"};
}

void Service::set_connections(size_t count) { metrics_.set("locus_connections", static_cast<double>(count)); }

HttpAnswer Service::metrics() {
  metrics_.set("locus_queue_tokens", static_cast<double>(queue_.waiting_tokens()));
  const ProcessUse use = process_use();
  metrics_.set("process_resident_memory_bytes", use.resident_bytes);
  metrics_.set("process_cpu_seconds_total", use.cpu_seconds);
  metrics_.set("process_open_fds", use.open_descriptors);
  metrics_.set("process_start_time_seconds", use.start_time);
  return {.type = "text/plain; version=0.0.4", .body = metrics_.print()};
}

// What this folder cannot do is not found, and the error lists what it can.
const Route& Service::route_of(const HttpRequest& request) const {
  std::string path = request.path;
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::vector<std::string_view> methods, served;
  for (const Route& route : routes()) {
    const bool same = route.path == path || (route.path.ends_with('*') &&
                                             path.starts_with(route.path.substr(0, route.path.size() - 1)));
    if (heads_->can(route.task) && route.task != Task::none) served.push_back(route.path);
    if (!same) continue;
    methods.push_back(route.method);
    if (route.method != request.method) continue;
    if (heads_->can(route.task)) return route;
    methods = {"none"};
  }
  if (methods.empty()) {
    std::vector<std::string_view> paths;
    for (const Route& route : routes()) paths.push_back(route.path);
    throw Refused(kNotFound, fmt::format("no route has the path {}{}", quote(path), suggestion(path, paths)));
  }
  if (methods.front() == "none") {
    throw Refused(kNoTask,
                  fmt::format("this model does not serve {}, only {}", quote(path), fmt::join(served, ", ")));
  }
  throw Refused(kWrongMethod, fmt::format("the method is {}, expected {} for {}", quote(request.method),
                                          fmt::join(methods, " or "), quote(path)));
}

// Before a request gets a thread. Called with the lock.
void Service::check(const HttpRequest& request) const {
  if (state_ != State::ready) health();
  if (requests_ >= options_.max_requests) {
    throw Refused(kFull, fmt::format("the server has {} requests, expected at most {} at a time", requests_,
                                     options_.max_requests));
  }
  const int64_t most = kBytesOfToken * options_.queue.waiting_tokens;
  if (bytes_ > 0 && static_cast<int64_t>(bytes_ + request.body.size()) > most) {
    throw Refused(kFull, fmt::format("the requests have {} bytes, expected at most {} at a time",
                                     bytes_ + request.body.size(), most));
  }
}

void Service::handle(HttpRequest request, const std::shared_ptr<Reply>& reply) {
  const auto send = [&](HttpAnswer answer) {
    metrics_.count(
        "locus_requests_total",
        fmt::format(R"(route="{}",code="{}")", is_probe(request.path) ? request.path : "", answer.status));
    reply->send(std::move(answer));
  };
  try {
    if (is_probe(request.path)) return send(health());
    if (request.path == "/metrics" && request.method == "GET") return send(metrics());
    const Route* route = nullptr;
    {
      const std::lock_guard lock(mutex_);
      check(request);
      route = &route_of(request);
      if (request.method == "POST") {
        const auto type = request.headers.find("content-type");
        if (type == request.headers.end() || !is_json(type->second)) {
          throw Refused(kWrongType, fmt::format("content-type is {}, expected application/json",
                                                type == request.headers.end() ? "missing" : type->second));
        }
      }
      ++requests_;
      bytes_ += request.body.size();
      metrics_.set("locus_queue_requests", static_cast<double>(requests_));
    }
    try {
      threads_.run([this, route, request, reply] { answer(*route, request, *reply); });
    } catch (...) {
      end(request);
      throw;
    }
  } catch (...) {
    HttpAnswer answer = refused_answer(request.path, std::current_exception());
    if (answer.status == 429 || answer.status == 503) metrics_.count("locus_refused_total");
    send(std::move(answer));
  }
}

void Service::end(const HttpRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    --requests_;
    bytes_ -= request.body.size();
    metrics_.set("locus_queue_requests", static_cast<double>(requests_));
  }
  changed_.notify_all();
}

void Service::answer(const Route& route, const HttpRequest& request, Reply& reply) {
  const Clock::time_point begin = Clock::now();
  const auto milliseconds = [](double seconds) { return fmt::format("{:.0f}", 1000 * seconds); };
  std::optional<HttpAnswer> answer;
  {
    Ticket ticket(queue_, [&reply] { return reply.gone(); });
    try {
      answer = route.handler.answer({request, options_, *heads_, ticket, reply});
    } catch (...) {
      answer = refused_answer(request.path, failure_of(ticket));
    }
    const double all = std::chrono::duration<double>(Clock::now() - begin).count();
    metrics_.observe("locus_request_seconds", all);
    metrics_.count("locus_tokens_total", R"(kind="read")", static_cast<double>(ticket.tokens()));
    if (answer) {
      answer->headers.insert(answer->headers.end(), {{"x-compute-tokens", std::to_string(ticket.tokens())},
                                                     {"x-total-time", milliseconds(all)},
                                                     {"x-queue-time", milliseconds(ticket.waited())},
                                                     {"x-inference-time", milliseconds(ticket.computed())}});
    }
  }
  if (reply.gone()) metrics_.count("locus_cancelled_total");
  metrics_.count("locus_requests_total",
                 fmt::format(R"(route="{}",code="{}")", route.path, answer ? answer->status : 200));
  if (answer) reply.send(*std::move(answer));
  end(request);
}

}  // namespace locus::serve
