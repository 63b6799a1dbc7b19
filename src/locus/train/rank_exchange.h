// What the ranks of a training run send each other in a step.
//
// Rank r of R computes the shards [S r / R, S (r + 1) / R) of the S shards of a step, and adds their
// gradients as far as the tree allows (shard_gradients.h). Every parameter has an owner (dist/owners.h). The
// owner gets the sums of all ranks, continues in the same tree, holds the moments and updates the parameter,
// which it then sends to all. So every sum is added in one order for any number of ranks.
//
// With P bytes of parameters, of which rank r owns O, and T subtrees left on rank r, r sends
// T (P - O) + (R - 1) O bytes in a step, and a few for each micro-batch and parameter. All ranks share the
// sum of a parameter with more than P / R bytes (sliced_sum.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/dist/transport.h"
#include "locus/train/shard_gradients.h"
#include "locus/train/tensor_bytes.h"

namespace locus {

// The numbers of a micro-batch that the loss of the step is computed from.
struct MicroBatchNumbers {
  int64_t has_mean = 0;  // else no target
  double mean = 0, weight = 0;
  int64_t tokens = 0;
};

// The first of the shards of a rank; of rank `ranks`, the number of shards.
int64_t first_shard(int64_t shards, int64_t rank, int64_t ranks);

class RankExchange {
 public:
  // `transport` is null for a process that is alone. Fails with Fault::usage if there are more ranks than
  // shards. Parameters that are frozen now are not sent.
  RankExchange(dist::Transport* transport, Parameters& parameters, int64_t shards);

  dist::Transport& transport() const { return transport_; }
  bool alone() const { return transport_.size() == 1; }
  bool leads() const { return transport_.rank() == 0; }
  // The shards of this rank.
  int64_t begin() const { return first_shard(shards_, transport_.rank(), transport_.size()); }
  int64_t end() const { return first_shard(shards_, transport_.rank() + 1, transport_.size()); }
  // The owner of each trained parameter, and whether it is this rank.
  const std::vector<int>& owners() const { return owners_; }
  // Whether all ranks share the sum of this trained parameter.
  bool is_sliced(size_t i) const;
  std::vector<bool> owned() const;

  // The parameters of this rank get the sum over all shards as their gradients. Gradients of the others are
  // freed.
  void sum(ShardGradients& mine) const;

  // The same in rounds, so that a rank needs memory for the messages of one round only, and can begin before
  // it has computed all gradients (overlapped_sum.h). A round is a part of the model, from its end to its
  // beginning: the order in which a backward pass completes gradients. All ranks must add the rounds in
  // order, and then call mine.finish().
  int64_t rounds() const { return std::ssize(rounds_); }
  // The number of gradients in each round.
  std::vector<int64_t> gradients_of_rounds() const;
  // The round of parameter i of all; nothing if it is frozen.
  std::optional<int64_t> round_of(size_t i) const { return round_of_[i]; }
  void sum_round(int64_t round, ShardGradients& mine) const;

  // Replaces the numbers of this rank by those of all: of all micro-batches, and of all trained parameters,
  // each in order.
  void gather(std::vector<MicroBatchNumbers>& batches, std::vector<double>& norms) const;
  // Every rank gets the parameters of the others.
  void share_parameters() const;
  // Whether it is true on any rank.
  bool any(bool mine) const;

 private:
  using Round = std::vector<size_t>;  // trained parameters that are sent together
  void plan_rounds(size_t parameters);
  void sum_owned(const Round& round, ShardGradients& mine) const;
  // The number of parameters of this owner in a round, and their bytes.
  struct Share {
    int64_t count = 0, bytes = 0;
  };
  Share share_of(const Round& round, int owner) const;
  MessageBuffer packed(const Round& round, int owner, ShardGradients& mine) const;

  std::unique_ptr<dist::Transport> own_;  // if alone
  dist::Transport& transport_;
  int64_t shards_;
  std::vector<Var> trained_;
  std::vector<size_t> places_;  // of the trained parameters among all
  std::vector<int> owners_;
  int64_t bytes_ = 0;  // of all trained parameters
  std::vector<Round> rounds_;
  std::vector<std::optional<int64_t>> round_of_;  // of each of all parameters
  std::vector<std::vector<dist::Subtree>> left_;  // subtrees that each rank has left
};

}  // namespace locus
