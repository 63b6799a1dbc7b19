#include "locus/dist/tcp.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/dist/mesh.h"
#include "locus/dist/peer_watch.h"

namespace locus::dist {
namespace {

// Comes before the bytes of every message.
struct Header {
  static constexpr uint32_t kMark = 0x4a4d5347;  // finds a stream that is out of step
  uint32_t mark = kMark;
  Call call = Call::send;
  uint64_t number = 0;  // of the messages from one rank to another
  uint64_t bytes = 0;
  friend bool operator==(const Header&, const Header&) = default;
};
static_assert(sizeof(Header) == 24);

// One message on its way, with what is left of it.
struct Transfer {
  int peer;
  Header header;    // to send, or expected
  Header received;  // as far as it has been read
  size_t header_done = 0;
  Bytes in = {};
  ConstBytes out = {};
  bool sends = false;

  bool done() const { return header_done == sizeof(Header) && in.empty() && out.empty(); }
};

class Tcp final : public Transport {
 public:
  Tcp(const Identity& identity, const TcpOptions& options)
      : Transport(identity.rank, identity.size),
        options_(options),
        mesh_(connect_ranks(identity, options.start_timeout)),
        sent_(mesh_.messages.size()),
        received_(mesh_.messages.size()),
        watch_(identity.rank, std::move(mesh_.watch), options.peer_timeout, options.start_timeout) {}

  void abort(std::string_view reason) noexcept override {
    try {
      watch_.report({rank(), "gave up: " + std::string(reason)});
    } catch (const std::exception&) {
      watch_.report({rank(), {}});
    }
  }

 private:
  void exchange(Call call, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    watch_.check();
    std::vector<Transfer> transfers;
    for (const auto& [from, bytes] : incoming) {
      transfers.push_back({.peer = from,
                           .header = {.call = call, .number = received_[from]++, .bytes = bytes.size()},
                           .in = bytes});
    }
    for (const auto& [to, bytes] : outgoing) {
      if (options_.before_message) options_.before_message(++messages_);
      transfers.push_back({.peer = to,
                           .header = {.call = call, .number = sent_[to]++, .bytes = bytes.size()},
                           .out = bytes,
                           .sends = true});
    }
    while (true) {
      move_some(transfers);
      std::erase_if(transfers, [](const Transfer& transfer) { return transfer.done(); });
      if (transfers.empty()) return;
      wait(transfers);
    }
  }

  std::optional<int> find_sender(std::chrono::milliseconds wait) override {
    watch_.check();
    std::vector<pollfd> waits;
    for (const Descriptor& socket :
         mesh_.messages) {  // poll() ignores the place of this rank: it has no file
      waits.push_back({.fd = socket.get(), .events = POLLIN, .revents = 0});
    }
    waits.push_back({.fd = watch_.event(), .events = POLLIN, .revents = 0});
    ::poll(waits.data(), waits.size(), static_cast<int>(wait.count()));
    if (waits.back().revents != 0) watch_.check();
    const auto found = std::ranges::find_if(waits, [](const pollfd& one) { return one.revents != 0; });
    return found == waits.end() ? std::nullopt : std::optional(static_cast<int>(found - waits.begin()));
  }

  // Until a connection is ready or a rank has failed. The watch bounds the time: a silent rank has failed.
  void wait(std::span<const Transfer> transfers) {
    std::vector<pollfd> waits{{.fd = watch_.event(), .events = POLLIN, .revents = 0}};
    for (const Transfer& transfer : transfers) {
      const auto events = static_cast<short>(transfer.sends ? POLLOUT : POLLIN);
      waits.push_back({.fd = mesh_.messages[transfer.peer].get(), .events = events, .revents = 0});
    }
    ::poll(waits.data(), waits.size(), /*no timeout*/ -1);
    if (waits[0].revents != 0) watch_.check();
  }

  // As much as the sockets take and have. All threads copy large messages, unless they compute: then this
  // call is inside a chunk.
  void move_some(std::span<Transfer> transfers) {
    constexpr uint64_t kLarge = uint64_t{1} << 20;
    uint64_t bytes = 0;
    for (const Transfer& transfer : transfers) bytes += transfer.in.size() + transfer.out.size();
    const auto move = [&](int64_t begin, int64_t end) {
      for (Transfer& transfer : transfers.subspan(begin, end - begin)) {
        transfer.sends ? send_some(transfer) : receive_some(transfer);
      }
    };
    bytes < kLarge ? move(0, std::ssize(transfers)) : parallel_for(std::ssize(transfers), 1, move);
  }

  void send_some(Transfer& transfer) {
    const int socket = mesh_.messages[transfer.peer].get();
    if (transfer.header_done < sizeof(Header)) {
      const ConstBytes header = std::as_bytes(std::span(&transfer.header, 1)).subspan(transfer.header_done);
      transfer.header_done += moved(transfer, write_some(socket, header));
      if (transfer.header_done < sizeof(Header)) return;
    }
    if (transfer.out.empty()) return;
    transfer.out = transfer.out.subspan(moved(transfer, write_some(socket, transfer.out)));
  }

  void receive_some(Transfer& transfer) {
    const int socket = mesh_.messages[transfer.peer].get();
    if (transfer.header_done < sizeof(Header)) {
      const Bytes header =
          std::as_writable_bytes(std::span(&transfer.received, 1)).subspan(transfer.header_done);
      transfer.header_done += moved(transfer, read_some(socket, header));
      if (transfer.header_done < sizeof(Header)) return;
      if (transfer.received != transfer.header) out_of_step(transfer);
    }
    if (transfer.in.empty()) return;
    transfer.in = transfer.in.subspan(moved(transfer, read_some(socket, transfer.in)));
  }

  size_t moved(const Transfer& transfer, ssize_t size) {
    if (size < 0) lost(transfer);
    return static_cast<size_t>(size);
  }

  // The watch usually learns more: that another rank failed first, or why this one gave up.
  [[noreturn]] void lost(const Transfer& transfer) {
    constexpr std::chrono::seconds kUntilKnown{2};
    watch_.check_for(transfer.peer, kUntilKnown);
    give_up(transfer.peer,
            fmt::format("ended before {} message {} of {} bytes was {}", name_of(transfer.header.call),
                        transfer.header.number, transfer.header.bytes, transfer.sends ? "received" : "sent"));
  }

  [[noreturn]] void out_of_step(const Transfer& transfer) {
    const Header &got = transfer.received, &wanted = transfer.header;
    if (got.mark != wanted.mark) give_up(transfer.peer, "sent bytes that are not a message");
    give_up(transfer.peer, fmt::format("sent {} message {} of {} bytes, expected {} message {} of {} bytes",
                                       name_of(got.call), got.number, got.bytes, name_of(wanted.call),
                                       wanted.number, wanted.bytes));
  }

  [[noreturn]] void give_up(int peer, const std::string& text) {
    watch_.report({peer, text});
    watch_.check();  // throws: this failure, or one that was there before
    fail(Fault::peer, "rank {} of {} ranks {}", peer, size(), text);
  }

  const TcpOptions options_;
  Mesh mesh_;
  std::vector<uint64_t> sent_, received_;  // messages to and from each rank
  int64_t messages_ = 0;
  PeerWatch watch_;
};

}  // namespace

std::unique_ptr<Transport> open_tcp(const Identity& identity, const TcpOptions& options) {
  if (identity.size == 1) return open_alone();
  return std::make_unique<Tcp>(identity, options);
}

}  // namespace locus::dist
