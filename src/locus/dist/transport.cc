#include "locus/dist/transport.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "locus/base/error.h"

namespace locus::dist {
namespace {

// No call of a single process has a message.
class Alone final : public Transport {
 public:
  Alone() : Transport(0, 1) {}
  void abort(std::string_view) noexcept override {}

 private:
  void exchange(Call, std::span<const Outgoing>, std::span<const Incoming>) override {}
  std::optional<int> find_sender(std::chrono::milliseconds) override { return std::nullopt; }
};

void require_fits(const char* what, int rank, uint64_t bytes) {
  require(bytes <= kMostMessageBytes, "{}: the message for rank {} has {} bytes, expected at most {}", what,
          rank, bytes, kMostMessageBytes);
}

void copy_own(const char* what, int rank, ConstBytes from, Bytes to) {
  require(from.size() == to.size(), "{}: rank {} sends itself {} bytes, but expects {}", what, rank,
          from.size(), to.size());
  std::ranges::copy(from, to.begin());
}

}  // namespace

std::string_view name_of(Call call) {
  switch (call) {
    case Call::send:
      return "send";
    case Call::all_to_all:
      return "all_to_all";
    case Call::all_gather:
      return "all_gather";
    case Call::barrier:
      return "barrier";
  }
  return "unknown call";
}

Transport::Transport(int rank, int size) : rank_(rank), size_(size) {
  require(rank >= 0 && rank < size, "transport: rank is {}, expected 0 to {}", rank, size - 1);
}

void Transport::require_other(const char* what, int rank) const {
  require(rank >= 0 && rank < size_ && rank != rank_,
          "{}: got rank {}, expected another rank than {} from 0 to {}", what, rank, rank_, size_ - 1);
}

void Transport::move(Call call, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  const auto start = std::chrono::steady_clock::now();
  exchange(call, outgoing, incoming);
  for (const Outgoing& message : outgoing) traffic_.sent += message.bytes.size();
  for (const Incoming& message : incoming) traffic_.received += message.bytes.size();
  traffic_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Transport::send(int to, ConstBytes bytes) {
  require_other("send", to);
  require_fits("send", to, bytes.size());
  const std::array<Outgoing, 1> outgoing{{{to, bytes}}};
  move(Call::send, outgoing, {});
}

void Transport::receive(int from, Bytes bytes) {
  require_other("receive", from);
  const std::array<Incoming, 1> incoming{{{from, bytes}}};
  move(Call::send, {}, incoming);
}

std::optional<int> Transport::sender(std::chrono::milliseconds wait) {
  return size_ == 1 ? std::nullopt : find_sender(wait);
}

void Transport::all_to_all(std::span<const ConstBytes> outgoing, std::span<const Bytes> incoming) {
  require(std::ssize(outgoing) == size_ && std::ssize(incoming) == size_,
          "all_to_all: got {} outgoing and {} incoming messages, expected {}, one for each rank",
          outgoing.size(), incoming.size(), size_);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int r = 0; r < size_; ++r) {
    require_fits("all_to_all", r, outgoing[r].size());
    if (r == rank_) continue;
    out.push_back({r, outgoing[r]});
    in.push_back({r, incoming[r]});
  }
  copy_own("all_to_all", rank_, outgoing[rank_], incoming[rank_]);
  move(Call::all_to_all, out, in);
}

void Transport::all_gather(ConstBytes mine, std::span<const Bytes> incoming) {
  require(std::ssize(incoming) == size_,
          "all_gather: got {} incoming messages, expected {}, one for each rank", incoming.size(), size_);
  require_fits("all_gather", rank_, mine.size());
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    out.push_back({r, mine});
    in.push_back({r, incoming[r]});
  }
  copy_own("all_gather", rank_, mine, incoming[rank_]);
  move(Call::all_gather, out, in);
}

void Transport::barrier() {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    out.push_back({r, {}});
    in.push_back({r, {}});
  }
  move(Call::barrier, out, in);
}

std::unique_ptr<Transport> open_alone() { return std::make_unique<Alone>(); }

}  // namespace locus::dist
