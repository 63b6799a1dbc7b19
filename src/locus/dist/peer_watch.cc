#include "locus/dist/peer_watch.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus::dist {
namespace {

// A message: kind, an unused byte, the length of the text, the rank that failed, and the text.
constexpr size_t kWatchHeaderBytes = 8, kMostTextBytes = 1024;

int new_event() {
  const int event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (event < 0) fail(Fault::io, "cannot create an event: {}", reason_of(errno));
  return event;
}

void signal_event(const Descriptor& event) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written =
      ::write(event.get(), &one, sizeof(one));  // fails only if it is set
}

}  // namespace

PeerWatch::PeerWatch(int rank, std::vector<Descriptor> peers, std::chrono::milliseconds timeout,
                     std::chrono::milliseconds start)
    : rank_(rank),
      timeout_(timeout),
      interval_(std::clamp(timeout / 4, std::chrono::milliseconds(10), std::chrono::milliseconds(1000))),
      failed_event_(new_event()),
      wake_(new_event()) {
  for (int peer = 0; peer < std::ssize(peers); ++peer) {
    const bool is_self = peer == rank;
    peers_.push_back(
        {.rank = peer, .socket = std::move(peers[peer]), .heard = Clock::now() + start, .left = is_self});
  }
  // Before any message: a rank that a message stops is known to have lived.
  send_to_all(Kind::alive, {});
  try {
    thread_ = std::thread([this] { loop(); });
  } catch (const std::system_error& error) {
    fail(Fault::resource, "cannot start the thread that watches the other ranks: {}", error.what());
  }
}

PeerWatch::~PeerWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (!failure_) send_to_all(Kind::leaves, {.rank = rank_});
  }
  signal_event(wake_);
  thread_.join();
}

void PeerWatch::loop() {
  std::vector<pollfd> waits;
  Clock::time_point next_sign = Clock::now();
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      for (Peer& peer : peers_) read_from(peer);
      if (Clock::now() >= next_sign) {
        send_to_all(Kind::alive, {});
        next_sign = Clock::now() + interval_;
      }
      find_silent();  // after reading: this process itself may have been stopped for long
      if (stopping_ || failure_) return;
      waits.assign(1, {.fd = wake_.get(), .events = POLLIN, .revents = 0});
      for (const Peer& peer : peers_) {
        waits.push_back({.fd = peer.left ? -1 : peer.socket.get(), .events = POLLIN, .revents = 0});
      }
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_sign - Clock::now()).count();
    ::poll(waits.data(), waits.size(), static_cast<int>(std::max<int64_t>(left, 0)));
  }
}

void PeerWatch::read_from(Peer& peer) {
  std::array<std::byte, 4096> piece;
  while (!peer.left && !failure_) {
    const ssize_t size = read_some(peer.socket.get(), piece);
    if (size == 0) return;
    if (size < 0) return fail_with({peer.rank, "closed its connection"});
    peer.heard = Clock::now();
    peer.read.insert(peer.read.end(), piece.begin(), piece.begin() + size);
    take_messages(peer);
  }
}

void PeerWatch::take_messages(Peer& peer) {
  size_t at = 0;
  while (peer.read.size() - at >= kWatchHeaderBytes && !peer.left && !failure_) {
    const std::byte* const header = peer.read.data() + at;
    const auto kind = static_cast<Kind>(header[0]);
    uint16_t length = 0;
    uint32_t culprit = 0;
    std::memcpy(&length, header + 2, sizeof(length));
    std::memcpy(&culprit, header + 4, sizeof(culprit));
    const bool known = kind == Kind::alive || kind == Kind::leaves || kind == Kind::failed;
    if (!known || length > kMostTextBytes || culprit >= peers_.size()) {
      return fail_with({peer.rank, "sent a sign of life that cannot be read"});
    }
    if (peer.read.size() - at < kWatchHeaderBytes + length) break;
    const std::string_view text(reinterpret_cast<const char*>(header + kWatchHeaderBytes), length);
    if (kind == Kind::leaves) peer.left = true, failed_.notify_all();
    if (kind == Kind::failed) fail_with({static_cast<int>(culprit), without_controls(text)});
    at += kWatchHeaderBytes + length;
  }
  peer.read.erase(peer.read.begin(), peer.read.begin() + static_cast<ptrdiff_t>(at));
}

void PeerWatch::send_to(Peer& peer, Kind kind, const PeerFailure& failure) {
  if (peer.left || peer.stuck) return;
  const auto length = static_cast<uint16_t>(std::min(failure.text.size(), kMostTextBytes));
  const auto culprit = static_cast<uint32_t>(failure.rank);
  std::array<std::byte, kWatchHeaderBytes + kMostTextBytes> message{static_cast<std::byte>(kind)};
  std::memcpy(message.data() + 2, &length, sizeof(length));
  std::memcpy(message.data() + 4, &culprit, sizeof(culprit));
  std::memcpy(message.data() + kWatchHeaderBytes, failure.text.data(), length);
  const ssize_t size = static_cast<ssize_t>(kWatchHeaderBytes) + length;
  // A closed connection is found when it is read, after what the rank sent before.
  peer.stuck = write_some(peer.socket.get(), std::span(message).first(static_cast<size_t>(size))) != size;
}

void PeerWatch::send_to_all(Kind kind, const PeerFailure& failure) {
  for (Peer& peer : peers_) send_to(peer, kind, failure);
}

void PeerWatch::find_silent() {
  for (const Peer& peer : peers_) {
    if (peer.left || failure_ || Clock::now() - peer.heard <= timeout_) continue;
    const double seconds = std::chrono::duration<double>(timeout_).count();
    fail_with({peer.rank, fmt::format("has been silent for {:g} s", seconds)});
  }
}

void PeerWatch::fail_with(PeerFailure failure) {
  if (failure_) return;
  send_to_all(Kind::failed, failure);
  failure_ = std::move(failure);
  signal_event(failed_event_);
  failed_.notify_all();
}

void PeerWatch::report(PeerFailure failure) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    fail_with(std::move(failure));
  } catch (const std::exception&) {  // no memory: the other ranks see that this one ends
  }
  signal_event(wake_);
}

void PeerWatch::throw_failure() const {
  const char* const what = failure_->rank == rank_ ? ", this process," : "";
  fail({Fault::peer, Code::none, "its own output may say more"}, "rank {}{} of {} ranks {}", failure_->rank,
       what, peers_.size(), failure_->text);
}

void PeerWatch::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) throw_failure();
}

void PeerWatch::check_for(int rank, std::chrono::milliseconds wait) const {
  std::unique_lock lock(mutex_);
  failed_.wait_for(lock, wait, [&] { return failure_ || peers_[rank].left; });
  if (failure_) throw_failure();
}

}  // namespace locus::dist
