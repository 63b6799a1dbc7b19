// Sends requests to an HTTP server from one thread, and prints one line of JSON about the answers:
//   rivals_load PORT PATH BODIES closed CONNECTIONS SECONDS
//   rivals_load PORT PATH BODIES open RATE SECONDS DEADLINE
// BODIES is a file with one request body per line; requests take them in turn. closed: each connection sends
// its next request after the answer to the last one. open: requests arrive at random times (Poisson), RATE
// per second on average, whether or not earlier ones are answered; a client leaves after DEADLINE seconds.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using ErrorCode = boost::system::error_code;
using Seconds = std::chrono::duration<double>;

Clock::duration of_seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

// One connection, which has at most one request at a time.
class Client {
 public:
  using Done = std::function<void(Client&, int status)>;  // 0: no answer

  Client(asio::io_context& io, uint16_t port, Done done)
      : socket_(io), timer_(io), server_(asio::ip::address_v4::loopback(), port), done_(std::move(done)) {}

  // `request` must exist until the answer.
  void ask(const std::string& request, Clock::time_point deadline = Clock::time_point::max()) {
    request_ = &request;
    late_ = false;
    if (deadline != Clock::time_point::max()) {
      timer_.expires_at(deadline);
      timer_.async_wait([this](ErrorCode error) {
        if (error) return;
        late_ = true;
        close();
      });
    }
    used_ = socket_.is_open();
    if (used_) return write();
    connect();
  }
  bool late() const { return late_; }

 private:
  void connect() {
    socket_.async_connect(server_, [this](ErrorCode error) {
      if (error) return finish(0);
      socket_.set_option(asio::ip::tcp::no_delay(true));
      write();
    });
  }
  void write() {
    asio::async_write(socket_, asio::buffer(*request_), [this](ErrorCode error, size_t) {
      if (error) return fail();
      read();
    });
  }
  void read() {
    buffer_.clear();
    parser_.emplace();
    parser_->body_limit(uint64_t{1} << 30);
    http::async_read(socket_, buffer_, *parser_, [this](ErrorCode error, size_t bytes) {
      if (error) return bytes == 0 ? fail() : finish(0);
      const int status = parser_->get().result_int();
      if (!parser_->get().keep_alive()) close();
      finish(status);
    });
  }
  // The server may have closed a connection that was idle.
  void fail() {
    if (!used_ || late_) return finish(0);
    used_ = false;
    close();
    connect();
  }
  void finish(int status) {
    if (status == 0) close();
    timer_.cancel();
    done_(*this, late_ ? 0 : status);
  }
  void close() {
    ErrorCode ignored;
    socket_.close(ignored);
  }

  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  const asio::ip::tcp::endpoint server_;
  const Done done_;
  const std::string* request_ = nullptr;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> parser_;
  bool used_ = false, late_ = false;
};

class Load {
 public:
  Load(uint16_t port, const std::string& path, const std::string& bodies) : port_(port) {
    std::ifstream file(bodies);
    for (std::string line; std::getline(file, line);) {
      requests_.push_back(
          fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      "Content-Length: {}\r\n\r\n{}",
                      path, line.size(), line));
    }
    if (requests_.empty()) throw std::runtime_error("no request in " + bodies);
  }

  void run_closed(int connections, double seconds) {
    const Clock::time_point end = begin_ + of_seconds(seconds);
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<Clock::time_point> sent(static_cast<size_t>(connections));
    for (size_t i = 0; i < sent.size(); ++i) {
      clients.push_back(std::make_unique<Client>(io_, port_, [&, i](Client& client, int status) {
        take(client, status, sent[i]);
        sent[i] = Clock::now();
        if (sent[i] < end) client.ask(next());
      }));
      sent[i] = Clock::now();
      clients.back()->ask(next());
    }
    io_.run();
  }

  void run_open(double rate, double seconds, double deadline) {
    std::mt19937_64 random(7);
    std::exponential_distribution<double> pause(rate);
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<Client*> idle;
    std::map<const Client*, Clock::time_point> arrived;
    asio::steady_timer timer(io_);
    Clock::time_point arrival = begin_;
    std::function<void()> wait = [&] {
      arrival += of_seconds(pause(random));
      if (arrival - begin_ > of_seconds(seconds)) return;
      timer.expires_at(arrival);
      timer.async_wait([&](ErrorCode) {
        if (idle.empty()) {
          clients.push_back(std::make_unique<Client>(io_, port_, [&](Client& client, int status) {
            take(client, status, arrived[&client]);
            idle.push_back(&client);
          }));
          idle.push_back(clients.back().get());
        }
        Client* const client = idle.back();
        idle.pop_back();
        arrived[client] = arrival;
        client->ask(next(), arrival + of_seconds(deadline));
        wait();
      });
    };
    wait();
    io_.run();
  }

  void print() {
    std::ranges::sort(latencies_);
    const auto quantile = [&](double part) {
      if (latencies_.empty()) return 0.0;
      const auto last = static_cast<double>(latencies_.size() - 1);
      return 1e3 * latencies_[static_cast<size_t>(std::ceil(part * last))];
    };
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    const auto time = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    fmt::print(R"({{"sent": {}, "answered": {}, "refused": {}, "late": {}, "failed": {}, "seconds": {}, )"
               R"("p50_ms": {}, "p99_ms": {}, "processor_seconds": {}}})"
               "\n",
               sent_, latencies_.size(), refused_, late_, failed_, Seconds(last_ - begin_).count(),
               quantile(0.5), quantile(0.99), time(use.ru_utime) + time(use.ru_stime));
  }

 private:
  const std::string& next() { return requests_[sent_++ % requests_.size()]; }
  void take(const Client& client, int status, Clock::time_point since) {
    last_ = Clock::now();
    if (status == 200) latencies_.push_back(Seconds(last_ - since).count());
    if (status == 429 || status == 503) ++refused_;
    if (status == 0 && client.late()) ++late_;
    if (status == 0 ? !client.late() : status != 200 && status != 429 && status != 503) ++failed_;
  }

  asio::io_context io_{1};
  const uint16_t port_;
  std::vector<std::string> requests_;
  size_t sent_ = 0;
  int refused_ = 0, late_ = 0, failed_ = 0;
  std::vector<double> latencies_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> given(argv + 1, argv + argc);
    const bool closed = given.size() == 6 && given[3] == "closed",
               open = given.size() == 7 && given[3] == "open";
    if (!closed && !open)
      throw std::runtime_error("wrong arguments, expected those of the comment in load.cc");
    Load load(static_cast<uint16_t>(std::stoi(given[0])), given[1], given[2]);
    if (closed) load.run_closed(std::stoi(given[4]), std::stod(given[5]));
    if (open) load.run_open(std::stod(given[4]), std::stod(given[5]), std::stod(given[6]));
    load.print();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rivals_load: {}\n", error.what());
    return 1;
  }
}
