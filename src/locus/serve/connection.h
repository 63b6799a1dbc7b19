// One connection of a client. It reads a request, hands it to the handler, writes the answer, and starts
// over. A read is always pending, so a client that leaves is noticed. Everything runs on the thread of the
// server; only Reply objects are used by other threads.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "locus/serve/answer_text.h"
#include "locus/serve/http_server.h"
#include "locus/serve/request_reader.h"

namespace locus::serve {

using Socket = boost::asio::generic::stream_protocol::socket;

class Connection;

// What the connections of a server share.
struct Shared {
  ServerLimits limits;
  ServerHooks hooks;
  std::function<void(Connection&)> closed;  // forgets the connection
  bool draining = false;
  size_t bodies = 0;  // bytes of all bodies that are not complete
  // A Reply keeps the queue of the thread alive, and nothing else.
  std::shared_ptr<boost::asio::io_context> io = std::make_shared<boost::asio::io_context>(1);
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, Socket socket, std::string address);  // `shared` must outlive it

  void start();
  void drain();  // closes the connection if it waits for a request
  void close();

  // The answer to request number `turn`: see Reply.
  void send(uint64_t turn, const HttpAnswer& answer);
  void begin(uint64_t turn, const HttpAnswer& head);
  void write(uint64_t turn, std::string_view piece);
  void end(uint64_t turn);

  // Runs a part of the work of this connection. If it fails, for lack of memory, only this connection ends.
  template <class F>
  void safely(F work) {
    try {
      work();
    } catch (const std::exception&) {
      close();
    }
  }

 private:
  enum class Phase { reading, answering, lingering, closed };
  using Late = void (Connection::*)();

  template <class F>
  auto callback(F work);
  void arm(Milliseconds time, Late late);  // the deadline of the current phase; there is only one
  void disarm();

  void read();
  void on_left(bool may_read);
  void advance();
  bool admit();
  bool count_body();
  void handle();
  void head_late();
  void body_late();
  void refuse(const Refusal& refusal);

  bool is_open(uint64_t turn) const { return phase_ == Phase::answering && turn == turn_ && !ended_; }
  void start_answer();
  void answer_now(const HttpAnswer& answer);
  void begin_answer(const HttpAnswer& head, Framing framing);
  void flush();
  void on_all_written();
  void ping();
  void finish_answer();
  void linger();
  void record(int status);

  Shared& shared_;
  Socket socket_;
  boost::asio::steady_timer timer_;
  uint64_t timer_number_ = 0;
  const std::string address_;
  Phase phase_ = Phase::reading;

  std::unique_ptr<RequestReader> reader_;
  std::array<char, 16384> piece_{};
  std::string input_;  // bytes that were read, and not yet taken
  bool read_pending_ = false, left_ = false, head_seen_ = false;
  size_t counted_body_ = 0;  // bytes of this body in Shared::bodies

  uint64_t turn_ = 0;
  bool keep_alive_ = true, is_head_ = false, is_http11_ = true;
  bool begun_ = false, ended_ = false, write_pending_ = false, events_ = false;
  Framing framing_ = Framing::length;
  Headers headers_;                          // of every answer to this request
  std::shared_ptr<std::atomic<bool>> gone_;  // shared with the Reply
  std::string output_, writing_;             // bytes to write, and those of the pending write
  size_t written_ = 0;                       // of writing_
  RequestRecord record_;
  std::chrono::steady_clock::time_point head_time_;
};

}  // namespace locus::serve
