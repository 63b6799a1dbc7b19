#include "locus/serve/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <utility>

#include "locus/serve/connection_reply.h"
#include "locus/serve/error_answer.h"
#include "locus/serve/request_id.h"

namespace locus::serve {
namespace {

using Clock = std::chrono::steady_clock;
using ErrorCode = boost::system::error_code;

constexpr int kClientLeft = 499;                 // in logs only
constexpr size_t kMostAhead = size_t{64} << 10;  // bytes read of the requests after the one that is answered

}  // namespace

Connection::Connection(Shared& shared, Socket socket, std::string address)
    : shared_(shared), socket_(std::move(socket)), timer_(*shared_.io), address_(std::move(address)) {}

// A callback of the socket or the timer. It keeps the connection alive.
template <class F>
auto Connection::callback(F work) {
  return [this, self = shared_from_this(), work = std::move(work)](ErrorCode error, auto... size) {
    if (phase_ != Phase::closed) safely([&] { work(error, size...); });
  };
}

void Connection::arm(Milliseconds time, Late late) {
  timer_.expires_after(time);
  timer_.async_wait(callback([this, late, number = ++timer_number_](ErrorCode) {
    if (number == timer_number_) (this->*late)();
  }));
}

void Connection::disarm() {
  ++timer_number_;
  timer_.cancel();
}

void Connection::start() {
  reader_ = std::make_unique<RequestReader>(shared_.limits.request);
  arm(shared_.limits.head_time, &Connection::close);
  read();
}

void Connection::drain() {
  if (phase_ == Phase::reading && reader_->state() == RequestReader::State::empty) close();
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::answering) record(kClientLeft);
  if (gone_) *gone_ = true;
  phase_ = Phase::closed;
  shared_.bodies -= std::exchange(counted_body_, 0);
  disarm();
  ErrorCode ignored;
  socket_.close(ignored);
  shared_.closed(*this);
}

// ---- Reading ----

void Connection::read() {
  const bool full = phase_ == Phase::answering && input_.size() >= kMostAhead;
  if (read_pending_ || left_ || full || phase_ == Phase::closed) return;
  read_pending_ = true;
  socket_.async_read_some(boost::asio::buffer(piece_), callback([this](ErrorCode error, size_t size) {
                            read_pending_ = false;
                            if (error) return on_left(error == boost::asio::error::eof);
                            if (phase_ != Phase::lingering) input_.append(piece_.data(), size);
                            if (phase_ == Phase::reading) advance();
                            read();
                          }));
}

// A client that only closed its sending side still gets its answer, if somebody computes it.
void Connection::on_left(bool may_read) {
  left_ = true;
  if (phase_ != Phase::answering || !may_read) return close();
  if (gone_) *gone_ = true;
}

// Takes what was read, up to the end of a request.
void Connection::advance() {
  while (phase_ == Phase::reading && !input_.empty()) {
    const bool was_empty = reader_->state() == RequestReader::State::empty;
    input_.erase(0, reader_->take(input_));
    if (was_empty && reader_->state() != RequestReader::State::empty) {
      arm(shared_.limits.head_time, &Connection::head_late);
    }
    if (reader_->state() == RequestReader::State::refused) return refuse(reader_->refusal());
    if (reader_->head_done() && !head_seen_ && !admit()) return;
    if (reader_->head_done() && !count_body()) return;
    if (reader_->state() == RequestReader::State::done) return handle();
  }
}

// After the head: whether its body is read.
bool Connection::admit() {
  head_seen_ = true;
  head_time_ = Clock::now();
  HttpRequest& request = reader_->request();
  const auto given = request.headers.find("x-request-id");
  request.id = request_id(given == request.headers.end() ? "" : given->second);
  record_ = {.id = request.id, .address = address_, .method = request.method, .path = request.path};
  headers_ = {{"x-request-id", request.id}};
  is_head_ = reader_->is_head();
  is_http11_ = reader_->is_http11();
  keep_alive_ = reader_->keeps_alive();
  if (shared_.hooks.admit) {
    Admission admission = shared_.hooks.admit(request);
    for (auto& header : admission.headers) headers_.push_back(std::move(header));
    if (admission.answer) {
      keep_alive_ = keep_alive_ && reader_->state() == RequestReader::State::done;
      answer_now(*admission.answer);
      return false;
    }
  }
  if (reader_->state() == RequestReader::State::body) {
    arm(shared_.limits.body_time, &Connection::body_late);
    if (reader_->expects_continue() && input_.empty()) {
      output_ += "HTTP/1.1 100 Continue\r\n\r\n";
      flush();
    }
  }
  return true;
}

bool Connection::count_body() {
  const size_t size = reader_->body_size();
  shared_.bodies += size - counted_body_;
  counted_body_ = size;
  if (shared_.bodies <= shared_.limits.bodies) return true;
  refuse({.status = 503, .message = "the server receives too many large requests", .code = "too_many_bytes"});
  return false;
}

void Connection::handle() {
  HttpRequest request = std::move(reader_->request());
  record_.body_bytes = request.body.size();
  start_answer();
  const auto reply = std::make_shared<ConnectionReply>(ConnectionReply::Target{
      .io = shared_.io, .connection = weak_from_this(), .turn = turn_, .gone = gone_, .path = request.path});
  try {
    shared_.hooks.handle(std::move(request), reply);
  } catch (const Error& error) {
    reply->send(error_answer(record_.path, error));
  } catch (const std::exception& error) {
    reply->send(error_answer(record_.path, Error(Fault::bug, error.what())));
  }
}

void Connection::head_late() {
  refuse({.status = 408, .message = "the headers of the request did not arrive in time", .code = "timeout"});
}
void Connection::body_late() {
  refuse({.status = 408, .message = "the body of the request did not arrive in time", .code = "timeout"});
}

// Answers a request that is not complete, or not valid. Nothing is known of the bytes after it.
void Connection::refuse(const Refusal& refusal) {
  if (!head_seen_) {
    head_time_ = Clock::now();
    const HttpRequest& request = reader_->request();  // without what was not read yet
    record_ = {.id = request_id(""), .address = address_, .method = request.method, .path = request.path};
    headers_ = {{"x-request-id", record_.id}};
  }
  keep_alive_ = false;
  answer_now(error_answer(record_.path, refusal));
}

// ---- Answering ----

void Connection::start_answer() {
  phase_ = Phase::answering;
  ++turn_;
  begun_ = ended_ = false;
  gone_ = std::make_shared<std::atomic<bool>>(left_);
  shared_.bodies -= std::exchange(counted_body_, 0);
  disarm();
}

void Connection::answer_now(const HttpAnswer& answer) {
  start_answer();
  send(turn_, answer);
}

void Connection::send(uint64_t turn, const HttpAnswer& answer) {
  if (!is_open(turn) || begun_) return;
  begin_answer(answer, Framing::length);
  if (!is_head_) output_ += answer.body;
  record_.answer_bytes = answer.body.size();
  end(turn);
}

void Connection::begin(uint64_t turn, const HttpAnswer& head) {
  if (!is_open(turn) || begun_) return;
  begin_answer(head, is_http11_ ? Framing::chunks : Framing::close);
  write(turn, head.body);
  flush();
}

void Connection::begin_answer(const HttpAnswer& head, Framing framing) {
  begun_ = true;
  framing_ = framing;
  events_ = head.type.starts_with("text/event-stream");
  const bool more = !shared_.draining && !(left_ && input_.empty());
  keep_alive_ = keep_alive_ && framing != Framing::close && more;
  output_ += head_text(head, headers_, framing, keep_alive_);
  record_.status = head.status;
  record_.log = head.log;
}

void Connection::write(uint64_t turn, std::string_view piece) {
  if (!is_open(turn) || !begun_) return;
  if (!is_head_) output_ += framing_ == Framing::chunks ? chunk_text(piece) : piece;
  record_.answer_bytes += piece.size();
  flush();
}

void Connection::end(uint64_t turn) {
  if (!is_open(turn) || !begun_) return;
  if (framing_ == Framing::chunks && !is_head_) output_ += kLastChunk;
  ended_ = true;
  flush();
}

void Connection::record(int status) {
  record_.status = status;
  record_.seconds = std::chrono::duration<double>(Clock::now() - head_time_).count();
  if (shared_.hooks.finished) shared_.hooks.finished(record_);
}

// Writes what is ready. At most one write is pending.
void Connection::flush() {
  if (write_pending_ || phase_ == Phase::closed) return;
  if (written_ == writing_.size()) {
    writing_.clear();
    written_ = 0;
    std::swap(writing_, output_);
  }
  if (writing_.empty()) return on_all_written();
  write_pending_ = true;
  if (phase_ == Phase::answering) arm(shared_.limits.stall_time, &Connection::close);
  const auto rest = boost::asio::buffer(writing_.data() + written_, writing_.size() - written_);
  socket_.async_write_some(rest, callback([this](ErrorCode error, size_t size) {
                             write_pending_ = false;
                             if (error) return close();
                             written_ += size;
                             flush();
                           }));
}

void Connection::on_all_written() {
  if (phase_ != Phase::answering) return;
  if (ended_) return finish_answer();
  if (begun_ && events_ && !is_head_) return arm(shared_.limits.ping_time, &Connection::ping);
  disarm();
}

void Connection::ping() { write(turn_, ": ping\n\n"); }

void Connection::finish_answer() {
  record(record_.status);
  phase_ = Phase::reading;
  if (!keep_alive_) return linger();
  head_seen_ = false;
  reader_ = std::make_unique<RequestReader>(shared_.limits.request);
  arm(shared_.limits.idle_time, &Connection::close);
  advance();
  if (left_ && phase_ == Phase::reading) return close();
  read();
}

// If the connection were closed while the client still sends, it would lose the answer.
void Connection::linger() {
  if (left_) return close();
  phase_ = Phase::lingering;
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  input_.clear();
  arm(shared_.limits.linger_time, &Connection::close);
  read();
}

}  // namespace locus::serve
