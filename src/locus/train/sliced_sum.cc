#include "locus/train/sliced_sum.h"

#include "locus/train/shard_gradients.h"
#include "locus/train/tensor_bytes.h"

namespace locus {
namespace {

Tensor slice_of(const Tensor& tensor, int64_t rank, int64_t ranks) {
  const int64_t count = tensor.numel();
  return tensor.reshape({1, count}).columns(count * rank / ranks, count * (rank + 1) / ranks);
}

}  // namespace

Tensor SlicedSum::operator()(dist::Transport& transport,
                             std::vector<std::pair<dist::Subtree, Tensor>>& mine) const {
  const int ranks = transport.size(), own = transport.rank();
  std::vector<int64_t> bytes;  // of the slice of each rank
  for (int rank = 0; rank < ranks; ++rank) bytes.push_back(byte_size(slice_of(parameter, rank, ranks)));
  std::vector<MessageBuffer> out(static_cast<size_t>(ranks)), in(out.size());
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == own) continue;
    in[rank] = MessageBuffer(std::ssize(left[rank]) * (1 + bytes[own]));
    out[rank] = MessageBuffer(std::ssize(mine) * (1 + bytes[rank]));
    GradientWriter writer(out[rank].bytes(), std::ssize(mine));
    for (const auto& [subtree, gradient] : mine) {
      writer.put(gradient ? slice_of(gradient, rank, ranks) : Tensor(), bytes[rank]);
    }
  }
  transport.all_to_all(to_send(out), to_fill(in));

  const Tensor whole = parameter.like(parameter.shape()), place = slice_of(whole, own, ranks);
  ShardGradients::Sum total(static_cast<int>(shards), add_gradient);
  for (int rank = 0; rank < ranks; ++rank) {
    GradientReader reader(in[rank].bytes(), rank == own ? 0 : std::ssize(left[rank]));
    for (size_t s = 0; s < left[rank].size(); ++s) {
      const Tensor gradient = rank == own && mine[s].second ? slice_of(mine[s].second, own, ranks) : Tensor();
      total.take(left[rank][s], rank == own ? gradient : reader.take(place));
    }
  }
  for (auto& [subtree, gradient] : mine) gradient = Tensor();
  const Tensor sum = total.left().front().second;
  if (!sum) return {};  // on all ranks

  out.assign(out.size(), MessageBuffer());
  in.assign(in.size(), MessageBuffer());
  for (int rank = 0; rank < ranks && own == owner; ++rank) {
    if (rank != own) in[rank] = MessageBuffer(bytes[rank]);
  }
  if (own != owner) {
    out[owner] = MessageBuffer(bytes[own]);
    std::span<std::byte> unwritten = out[owner].bytes();
    put_bytes(sum, unwritten);
  }
  transport.all_to_all(to_send(out), to_fill(in));
  if (own != owner) return {};
  for (int rank = 0; rank < ranks; ++rank) {
    std::span<const std::byte> unread = in[rank].bytes();
    if (rank != own) take_bytes(unread, slice_of(whole, rank, ranks));
  }
  Tensor(place).copy_from(sum);
  return whole;
}

}  // namespace locus
