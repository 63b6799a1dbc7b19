#include "locus/train/rank_exchange.h"

#include <gtest/gtest.h>

#include <cmath>

#include "locus/train/optimizer.h"
#include "locus/train/tensor_bytes.h"
#include "tests/dist/ranks.h"

namespace locus {
namespace {

// Parameters of which one is larger than a round of the exchange.
Parameters some_parameters() {
  Parameters parameters;
  int number = 0;
  for (const int64_t size : {5'000'000, 3'000, 1, 200'000, 4'000'000, 3'000'000, 70, 1'000'000}) {
    parameters.add(fmt::format("p{}", number++), Tensor::full({size}, 1), Role::bias);
  }
  return parameters;
}

void expect_no_errors(const std::vector<std::optional<Error>>& errors) {
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
}

TEST(RankExchange, DividesShards) {
  for (const int64_t shards : {1, 2, 5, 8, 64}) {
    for (int64_t ranks = 1; ranks <= shards; ++ranks) {
      EXPECT_EQ(first_shard(shards, 0, ranks), 0);
      EXPECT_EQ(first_shard(shards, ranks, ranks), shards);
      for (int64_t rank = 0; rank < ranks; ++rank) {
        const int64_t count = first_shard(shards, rank + 1, ranks) - first_shard(shards, rank, ranks);
        EXPECT_TRUE(count == shards / ranks || count == shards / ranks + 1) << shards << " " << ranks;
      }
    }
  }
}

// Each rank holds the moments of its own parameters: together those of all, and about as many on each.
TEST(RankExchange, DividesTheMoments) {
  for (const int ranks : {2, 3, 4}) {
    std::vector<int64_t> held(static_cast<size_t>(ranks));
    int64_t all = 0, largest = 0;
    expect_no_errors(dist::run_ranks(ranks, [&](dist::Transport& transport) {
      Parameters parameters = some_parameters();
      const RankExchange exchange(&transport, parameters, ranks);
      AdamW optimizer(parameters, {}, exchange.owned());
      int64_t bytes = 0;
      for (const AdamW::Moments& moments : optimizer.moments()) {
        bytes += byte_size(moments.first) + byte_size(moments.second);
      }
      held[transport.rank()] = bytes;
      if (transport.rank() != 0) return;
      for (const NamedParameter& parameter : parameters.all()) {
        all += 2 * byte_size(parameter.var.value());
        largest = std::max(largest, 2 * byte_size(parameter.var.value()));
      }
    }));
    int64_t sum = 0;
    for (const int64_t bytes : held) {
      sum += bytes;
      EXPECT_LE(bytes, all / ranks + largest);
      EXPECT_GT(bytes, 0);
    }
    EXPECT_EQ(sum, all);
  }
}

// The formula of rank_exchange.h, to the byte.
TEST(RankExchange, SendsTheBytesOfTheFormula) {
  constexpr int64_t kShards = 8, kMicroBatches = 2;
  for (const int ranks : {2, 3, 4}) {
    expect_no_errors(dist::run_ranks(ranks, [&](dist::Transport& transport) {
      Parameters parameters = some_parameters();
      RankExchange exchange(&transport, parameters, kShards);
      const AdamW optimizer(parameters, {}, exchange.owned());
      ShardGradients sums(parameters, kShards, exchange.begin(), exchange.end());
      const int64_t shards = exchange.end() - exchange.begin();
      for (int64_t shard = 0; shard < shards; ++shard) {
        for (const NamedParameter& parameter : parameters.all()) {
          parameter.var.accumulate(Tensor::full(parameter.var.shape(), 1));
        }
        sums.take();
      }
      const int64_t subtrees = std::ssize(sums.left(0));
      int64_t bytes = 0, own = 0, own_count = 0;
      const auto count = std::ssize(parameters.all());
      for (int64_t i = 0; i < count; ++i) {
        const int64_t size = byte_size(parameters.all()[i].var.value());
        bytes += size;
        if (exchange.owned()[i]) own += size, ++own_count;
      }
      const uint64_t before = transport.traffic().sent;
      exchange.sum(sums);
      std::vector<MicroBatchNumbers> batches(static_cast<size_t>(shards * kMicroBatches));
      std::vector<double> norms(static_cast<size_t>(own_count));
      exchange.gather(batches, norms);
      exchange.share_parameters();
      exchange.any(false);
      const int64_t others = ranks - 1;
      int64_t formula = subtrees * (bytes - own) + others * own;
      int64_t few =
          subtrees * (count - own_count) + others * (shards * kMicroBatches * 32 + own_count * 8 + 1);
      EXPECT_EQ(exchange.is_sliced(0), ranks > 2);
      for (int64_t i = 0; i < count; ++i) {
        if (!exchange.is_sliced(i)) continue;
        const int64_t numbers = parameters.all()[i].var.value().numel(), rank = transport.rank();
        const int64_t size = 4 * numbers;
        const int64_t slice = 4 * (numbers * (rank + 1) / ranks - numbers * rank / ranks);
        const bool is_owner = exchange.owned()[i];
        formula += subtrees * (size - slice) + (is_owner ? 0 : slice - subtrees * size);
        few += subtrees * (is_owner ? others : others - 1);
      }
      EXPECT_EQ(transport.traffic().sent - before, static_cast<uint64_t>(formula + few));
      EXPECT_LT(few, formula / 1000);
      EXPECT_EQ(std::ssize(batches), kShards * kMicroBatches);
      EXPECT_EQ(std::ssize(norms), count);
      for (int64_t i = 0; i < count; ++i) {
        const Tensor& gradient = parameters.all()[i].var.grad();
        ASSERT_EQ(static_cast<bool>(gradient), exchange.owned()[i]);
        if (gradient) {
          EXPECT_EQ(gradient.values().back(), static_cast<float>(kShards));
        }
      }
    }));
  }
}

// As in one process: no gradient is not a gradient of 0, which would turn -0 into 0.
TEST(RankExchange, KeepsShardsWithoutAGradientApart) {
  expect_no_errors(dist::run_ranks(2, [](dist::Transport& transport) {
    Parameters parameters;
    for (const char* const name : {"a", "b", "c", "d"})
      parameters.add(name, Tensor::full({1}, 1), Role::bias);
    RankExchange exchange(&transport, parameters, 2);
    ShardGradients sums(parameters, 2, exchange.begin(), exchange.end());
    if (transport.rank() == 0) parameters.at("a").accumulate(Tensor::full({1}, -0.0));
    if (transport.rank() == 1) parameters.at("b").accumulate(Tensor::full({1}, -0.0));
    sums.take();
    exchange.sum(sums);
    for (size_t i = 0; i < 4; ++i) {
      const Tensor& gradient = parameters.all()[i].var.grad();
      EXPECT_EQ(static_cast<bool>(gradient), i < 2 && exchange.owned()[i]);
      if (gradient) {
        EXPECT_TRUE(std::signbit(gradient.item()));
      }
    }
  }));
}

// As on a GPU. The large parameter is added in slices.
TEST(RankExchange, ReadsAndWritesTheMemoryOfADevice) {
  expect_no_errors(dist::run_ranks(3, [](dist::Transport& transport) {
    const auto rank = static_cast<float>(transport.rank());
    Parameters parameters(DType::f32, Device::fenced);
    for (const int64_t size : {700'000, 5, 100'000}) {
      parameters.add(fmt::format("p{}", size), Tensor::full({size}, 1), Role::bias);
    }
    RankExchange exchange(&transport, parameters, 3);
    EXPECT_TRUE(exchange.is_sliced(0));
    ShardGradients sums(parameters, 3, exchange.begin(), exchange.end());
    for (const NamedParameter& parameter : parameters.all()) {
      parameter.var.accumulate(Tensor::full(parameter.var.shape(), 1 + rank, DType::f32, Device::fenced));
    }
    sums.take();
    exchange.sum(sums);
    for (size_t i = 0; i < 3; ++i) {
      const Var& var = parameters.all()[i].var;
      ASSERT_EQ(static_cast<bool>(var.grad()), exchange.owned()[i]);
      if (!exchange.owned()[i]) continue;
      const std::vector<float> numbers = var.grad().on_host().values();
      EXPECT_EQ(std::ranges::count(numbers, 6.0f), std::ssize(numbers));
      Tensor(var.value()).copy_from(Tensor::full(var.shape(), 7));
    }
    exchange.share_parameters();
    for (const NamedParameter& parameter : parameters.all()) {
      const std::vector<float> numbers = parameter.var.value().on_host().values();
      EXPECT_EQ(std::ranges::count(numbers, 7.0f), std::ssize(numbers)) << parameter.name;
    }
  }));
}

TEST(RankExchange, GathersNumbersInOrder) {
  expect_no_errors(dist::run_ranks(3, [&](dist::Transport& transport) {
    Parameters parameters = some_parameters();
    const RankExchange exchange(&transport, parameters, 7);
    std::vector<MicroBatchNumbers> batches;
    for (int64_t shard = exchange.begin(); shard < exchange.end(); ++shard) {
      batches.push_back({.has_mean = 1, .mean = 0.5, .weight = 2, .tokens = shard});
    }
    std::vector<double> norms;
    for (size_t i = 0; i < exchange.owners().size(); ++i) {
      if (exchange.owned()[i]) norms.push_back(static_cast<double>(i));
    }
    exchange.gather(batches, norms);
    for (int64_t i = 0; i < 7; ++i) EXPECT_EQ(batches.at(static_cast<size_t>(i)).tokens, i);
    for (size_t i = 0; i < norms.size(); ++i) EXPECT_EQ(norms[i], static_cast<double>(i));
    EXPECT_FALSE(exchange.any(false));
    EXPECT_TRUE(exchange.any(transport.rank() == 1));
  }));
}

}  // namespace
}  // namespace locus
