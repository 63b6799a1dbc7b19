#include "locus/train/rank_exchange.h"

#include <algorithm>
#include <queue>

#include "locus/base/error.h"
#include "locus/dist/owners.h"
#include "locus/train/tensor_bytes.h"

namespace locus {
namespace {

using dist::Subtree;
using ByteList = std::vector<std::byte>;

constexpr int64_t kRoundBytes = int64_t{16} << 20;  // of the parameters of each owner in a round

template <class T>
std::span<const std::byte> raw(const std::vector<T>& list) {
  return std::as_bytes(std::span(list));
}

}  // namespace

int64_t first_shard(int64_t shards, int64_t rank, int64_t ranks) { return shards * rank / ranks; }

RankExchange::RankExchange(dist::Transport* transport, Parameters& parameters, int64_t shards)
    : own_(transport == nullptr ? dist::open_alone() : nullptr),
      transport_(transport == nullptr ? *own_ : *transport),
      shards_(shards) {
  const int ranks = transport_.size();
  if (ranks > shards) {
    fail({Fault::usage, Code::none,
          "a run with another number of shards adds in another order: choose it at its start"},
         "train.shards is {}, expected at least {}, the number of processes: each computes one shard or more",
         shards, ranks);
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < parameters.all().size(); ++i) {
    const Var& var = parameters.all()[i].var;
    if (!var.wants_grad()) continue;
    trained_.push_back(var);
    places_.push_back(i);
    sizes.push_back(byte_size(var.value()));
  }
  owners_ = dist::owners_of(sizes, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    left_.push_back(dist::subtrees_of(static_cast<int>(shards),
                                      static_cast<int>(first_shard(shards, rank, ranks)),
                                      static_cast<int>(first_shard(shards, rank + 1, ranks))));
  }
  plan_rounds();
}

// Each owner's parameters in their order. A round ends for an owner before it has more than kRoundBytes.
void RankExchange::plan_rounds() {
  std::vector<size_t> round_of(static_cast<size_t>(transport_.size()), 0);
  std::vector<int64_t> bytes(round_of.size(), 0);
  for (size_t i = 0; i < trained_.size(); ++i) {
    const auto owner = static_cast<size_t>(owners_[i]);
    const int64_t size = byte_size(trained_[i].value());
    if (bytes[owner] > 0 && bytes[owner] + size > kRoundBytes) ++round_of[owner], bytes[owner] = 0;
    bytes[owner] += size;
    rounds_.resize(std::max(rounds_.size(), round_of[owner] + 1));
    rounds_[round_of[owner]].push_back(i);
  }
}

std::vector<bool> RankExchange::owned() const {
  std::vector<bool> owned;
  for (const int owner : owners_) owned.push_back(owner == transport_.rank());
  return owned;
}

void RankExchange::sum(ShardGradients& mine) {
  if (alone()) return mine.finish();
  for (const Round& round : rounds_) sum_round(round, mine);
}

// The gradients of the owner's parameters in a round: for each and each subtree, whether there is one; then
// the gradients, or zeros.
ByteList RankExchange::packed(const Round& round, int owner, ShardGradients& mine) const {
  ByteList flags, numbers;
  for (const size_t i : round) {
    if (owners_[i] != owner) continue;
    for (auto& [subtree, gradients] : mine.left()) {
      const Tensor gradient = std::exchange(gradients[places_[i]], Tensor());
      flags.push_back(std::byte{gradient ? uint8_t{1} : uint8_t{0}});
      if (gradient) append_bytes(gradient, numbers);
      if (!gradient) numbers.resize(numbers.size() + static_cast<size_t>(byte_size(trained_[i].value())));
    }
  }
  flags.insert(flags.end(), numbers.begin(), numbers.end());
  return flags;
}

void RankExchange::sum_round(const Round& round, ShardGradients& mine) {
  const int ranks = transport_.size(), own = transport_.rank();
  int64_t count = 0, bytes = 0;  // of the parameters of this rank
  for (const size_t i : round) {
    if (owners_[i] != own) continue;
    ++count;
    bytes += byte_size(trained_[i].value());
  }
  std::vector<ByteList> out(static_cast<size_t>(ranks)), in(out.size());
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == own) continue;
    out[rank] = packed(round, rank, mine);
    in[rank].resize(static_cast<size_t>(std::ssize(left_[rank]) * (count + bytes)));
  }
  transport_.all_to_all(std::vector<dist::ConstBytes>(out.begin(), out.end()),
                        std::vector<dist::Bytes>(in.begin(), in.end()));
  out.clear();
  std::vector<std::span<const std::byte>> flags, numbers;
  for (int rank = 0; rank < ranks; ++rank) {
    const size_t border = rank == own ? 0 : static_cast<size_t>(std::ssize(left_[rank]) * count);
    flags.push_back(std::span(in[rank]).first(border));
    numbers.push_back(std::span(in[rank]).subspan(border));
  }
  for (const size_t i : round) {
    if (owners_[i] != own) continue;
    dist::TreeSum<Tensor, void (*)(Tensor&, const Tensor&)> total(static_cast<int>(shards_), add_gradient);
    for (int rank = 0; rank < ranks; ++rank) {
      for (size_t s = 0; s < left_[rank].size(); ++s) {
        Tensor gradient;
        if (rank == own) {
          gradient = std::exchange(mine.left()[s].second[places_[i]], Tensor());
        } else {
          gradient = trained_[i].value().like(trained_[i].shape());
          take_bytes(numbers[rank], gradient);
          if (flags[rank].front() == std::byte{0}) gradient = Tensor();
          flags[rank] = flags[rank].subspan(1);
        }
        total.take(left_[rank][s], std::move(gradient));
      }
    }
    const Tensor gradient = std::exchange(total.left().front().second, Tensor());
    if (gradient) trained_[i].accumulate(gradient);
  }
}

void RankExchange::gather(std::vector<MicroBatchNumbers>& batches, std::vector<double>& norms) const {
  if (alone()) return;
  const int ranks = transport_.size();
  const auto per_shard = std::ssize(batches) / (end() - begin());
  std::vector<std::vector<double>> measured;
  std::vector<MicroBatchNumbers> all(static_cast<size_t>(shards_ * per_shard));
  std::vector<dist::Bytes> batches_in, norms_in;
  for (int rank = 0; rank < ranks; ++rank) {
    const int64_t first = first_shard(shards_, rank, ranks), last = first_shard(shards_, rank + 1, ranks);
    batches_in.push_back(std::as_writable_bytes(std::span(all).subspan(
        static_cast<size_t>(first * per_shard), static_cast<size_t>((last - first) * per_shard))));
    measured.emplace_back(static_cast<size_t>(std::ranges::count(owners_, rank)));
  }
  for (std::vector<double>& each : measured) norms_in.push_back(std::as_writable_bytes(std::span(each)));
  transport_.all_gather(raw(batches), batches_in);
  transport_.all_gather(raw(norms), norms_in);
  batches = std::move(all);
  norms.clear();
  std::vector<size_t> next(static_cast<size_t>(ranks));
  for (const int owner : owners_) norms.push_back(measured[owner][next[owner]++]);
}

void RankExchange::share_parameters() const {
  if (alone()) return;
  for (const Round& round : rounds_) share_round(round);
}

void RankExchange::share_round(const Round& round) const {
  const int own = transport_.rank();
  std::vector<ByteList> in(static_cast<size_t>(transport_.size()));
  ByteList out;
  for (const size_t i : round) {
    const Tensor& value = trained_[i].value();
    if (owners_[i] == own) append_bytes(value, out);
    in[owners_[i]].resize(in[owners_[i]].size() + static_cast<size_t>(byte_size(value)));
  }
  transport_.all_gather(out, std::vector<dist::Bytes>(in.begin(), in.end()));
  std::vector<std::span<const std::byte>> left(in.begin(), in.end());
  for (const size_t i : round) {
    if (owners_[i] != own) take_bytes(left[owners_[i]], trained_[i].value());
  }
}

bool RankExchange::any(bool mine) const {
  const uint8_t flag = mine ? 1 : 0;
  std::vector<uint8_t> flags(static_cast<size_t>(transport_.size()));
  std::vector<dist::Bytes> in;
  for (uint8_t& each : flags) in.push_back(std::as_writable_bytes(std::span(&each, 1)));
  transport_.all_gather(std::as_bytes(std::span(&flag, 1)), in);
  return std::ranges::count(flags, 0) < std::ssize(flags);
}

}  // namespace locus
