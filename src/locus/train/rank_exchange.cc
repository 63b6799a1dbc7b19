#include "locus/train/rank_exchange.h"

#include <algorithm>
#include <queue>

#include "locus/base/error.h"
#include "locus/dist/owners.h"
#include "locus/train/sliced_sum.h"
#include "locus/train/tensor_bytes.h"

namespace locus {
namespace {

using dist::Subtree;

// Most bytes of the parameters of each owner in a round, unless one alone has more. Small rounds start
// earlier.
constexpr int64_t kRoundBytes = int64_t{4} << 20;

constexpr int64_t kLeastSliced = int64_t{1} << 20;  // bytes of a parameter
constexpr int64_t kPieceBytes = int64_t{16} << 20;  // of each stream of parameters

// Tensors as one stream of bytes.
class TensorStream {
 public:
  void add(const Tensor& tensor) {
    tensors_.push_back(tensor.reshape({tensor.numel(), 1}));
    bytes_ += byte_size(tensor);
  }
  int64_t bytes() const { return bytes_; }  // left

  // The tensors, or parts of them, that are the next bytes of the stream.
  std::vector<Tensor> next(int64_t bytes) {
    std::vector<Tensor> parts;
    bytes_ -= bytes;
    while (bytes > 0) {
      const Tensor& tensor = tensors_[current_];
      const int64_t size = size_of(tensor.dtype());
      const int64_t count = std::min(tensor.numel() - begin_, bytes / size);
      parts.push_back(tensor.rows(begin_, begin_ + count));
      bytes -= count * size;
      begin_ += count;
      if (begin_ == tensor.numel()) ++current_, begin_ = 0;
    }
    return parts;
  }

 private:
  std::vector<Tensor> tensors_;
  size_t current_ = 0;
  int64_t begin_ = 0, bytes_ = 0;
};

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
    bytes_ += sizes.back();
  }
  owners_ = dist::owners_of(sizes, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    left_.push_back(dist::subtrees_of(static_cast<int>(shards),
                                      static_cast<int>(first_shard(shards, rank, ranks)),
                                      static_cast<int>(first_shard(shards, rank + 1, ranks))));
  }
  plan_rounds(parameters.all().size());
}

void RankExchange::plan_rounds(size_t parameters) {
  round_of_.resize(parameters);
  std::vector<int64_t> bytes(static_cast<size_t>(transport_.size()));  // of each owner in the last round
  for (size_t i = trained_.size(); i-- > 0;) {
    int64_t& load = bytes[owners_[i]];
    const int64_t size = byte_size(trained_[i].value());
    const bool alone = is_sliced(i) || (!rounds_.empty() && is_sliced(rounds_.back().front()));
    if (rounds_.empty() || alone || (load > 0 && load + size > kRoundBytes)) {
      rounds_.emplace_back();
      bytes.assign(bytes.size(), 0);
    }
    load += size;
    rounds_.back().push_back(i);
    round_of_[places_[i]] = rounds() - 1;
  }
}

bool RankExchange::is_sliced(size_t i) const {
  const int64_t size = byte_size(trained_[i].value());
  return size >= kLeastSliced && size > bytes_ / transport_.size();
}

std::vector<int64_t> RankExchange::gradients_of_rounds() const {
  std::vector<int64_t> counts;
  for (const Round& round : rounds_) counts.push_back(std::ssize(round));
  return counts;
}

std::vector<bool> RankExchange::owned() const {
  std::vector<bool> owned;
  for (const int owner : owners_) owned.push_back(owner == transport_.rank());
  return owned;
}

void RankExchange::sum(ShardGradients& mine) const {
  for (int64_t round = 0; round < rounds() && !alone(); ++round) sum_round(round, mine);
  mine.finish();
}

RankExchange::Share RankExchange::share_of(const Round& round, int owner) const {
  Share share;
  for (const size_t i : round) {
    if (owners_[i] != owner) continue;
    ++share.count;
    share.bytes += byte_size(trained_[i].value());
  }
  return share;
}

// The gradients of the owner's parameters in a round.
MessageBuffer RankExchange::packed(const Round& round, int owner, ShardGradients& mine) const {
  const Share share = share_of(round, owner);
  const int64_t subtrees = std::ssize(left_[transport_.rank()]);
  MessageBuffer buffer(subtrees * (share.count + share.bytes));
  GradientWriter writer(buffer.bytes(), subtrees * share.count);
  for (const size_t i : round) {
    if (owners_[i] != owner) continue;
    for (auto& [subtree, sum] : mine.left(places_[i])) {
      writer.put(std::exchange(sum, Tensor()), byte_size(trained_[i].value()));
    }
  }
  return buffer;
}

void RankExchange::sum_round(int64_t number, ShardGradients& mine) const {
  const Round& round = rounds_[static_cast<size_t>(number)];
  if (!is_sliced(round.front())) return sum_owned(round, mine);
  const size_t i = round.front();
  auto& sums = mine.left(places_[i]);
  sums.front().second =
      SlicedSum{.shards = shards_, .left = left_, .owner = owners_[i], .parameter = trained_[i].value()}(
          transport_, sums);
}

void RankExchange::sum_owned(const Round& round, ShardGradients& mine) const {
  const int ranks = transport_.size(), own = transport_.rank();
  const Share share = share_of(round, own);
  std::vector<MessageBuffer> out(static_cast<size_t>(ranks)), in(out.size());
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == own) continue;
    out[rank] = packed(round, rank, mine);
    in[rank] = MessageBuffer(std::ssize(left_[rank]) * (share.count + share.bytes));
  }
  transport_.all_to_all(to_send(out), to_fill(in));
  out.clear();
  std::vector<GradientReader> readers;
  for (int rank = 0; rank < ranks; ++rank) {
    readers.emplace_back(in[rank].bytes(), rank == own ? 0 : std::ssize(left_[rank]) * share.count);
  }
  for (const size_t i : round) {
    if (owners_[i] != own) continue;
    auto& sums = mine.left(places_[i]);
    ShardGradients::Sum total(static_cast<int>(shards_), add_gradient);
    for (int rank = 0; rank < ranks; ++rank) {
      for (size_t s = 0; s < left_[rank].size(); ++s) {
        total.take(left_[rank][s], rank == own ? std::exchange(sums[s].second, Tensor())
                                               : readers[rank].take(trained_[i].value()));
      }
    }
    sums.front().second = std::move(total.left().front().second);
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

// The streams of all owners move together, so that all ranks send all the time.
void RankExchange::share_parameters() const {
  if (alone()) return;
  const int ranks = transport_.size(), own = transport_.rank();
  std::vector<TensorStream> streams(static_cast<size_t>(ranks));
  for (size_t i = 0; i < trained_.size(); ++i) streams[owners_[i]].add(trained_[i].value());
  const auto left = [](const TensorStream& stream) { return stream.bytes() > 0; };
  while (std::ranges::any_of(streams, left)) {
    std::vector<std::vector<Tensor>> pieces;
    std::vector<MessageBuffer> in;
    for (int rank = 0; rank < ranks; ++rank) {
      const int64_t bytes = std::min(streams[rank].bytes(), kPieceBytes);
      pieces.push_back(streams[rank].next(bytes));
      in.emplace_back(bytes);
    }
    const MessageBuffer out = std::exchange(in[own], MessageBuffer());
    std::span<std::byte> unwritten = out.bytes();
    for (const Tensor& tensor : pieces[own]) put_bytes(tensor, unwritten);
    std::vector<dist::ConstBytes> outgoing(static_cast<size_t>(ranks), out.bytes());
    outgoing[own] = {};
    transport_.all_to_all(outgoing, to_fill(in));
    for (int rank = 0; rank < ranks; ++rank) {
      dist::ConstBytes unread = in[rank].bytes();
      if (rank == own) continue;
      for (const Tensor& tensor : pieces[rank]) take_bytes(unread, tensor);
    }
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
