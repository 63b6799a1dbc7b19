#include "locus/train/overlapped_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "tests/dist/ranks.h"
#include "tests/program.h"

namespace locus {
namespace {

constexpr int64_t kStepShards = 8,
                  kParameterSizes[] = {900'000, 40, 1'100'000, 7, 600'000, 500'000, 3, 1'200'000};

Parameters parameters_of_several_rounds() {
  Parameters parameters;
  for (const int64_t size : kParameterSizes) {
    parameters.add(fmt::format("p{}", size), Tensor::full({size}, 1), Role::bias);
  }
  return parameters;
}

// Numbers of very different sizes and both signs, which repeat: another order of the sum gives other bits.
Tensor shard_gradient(const Parameters& parameters, int64_t shard, size_t i) {
  constexpr int64_t kPeriod = 4093;
  const Tensor gradient = Tensor::empty(parameters.all()[i].var.shape());
  const std::span<float> numbers = gradient.data<float>();
  const int64_t size = gradient.numel();
  for (int64_t k = 0; k < std::min(size, kPeriod); ++k) {
    const int64_t number = (7919 * k + 104'729 * shard + 31 * static_cast<int64_t>(i)) % 2003 - 1001;
    numbers[k] = static_cast<float>(number) / 977 * ((k + shard) % 3 == 0 ? 1e7f : 1);
  }
  for (int64_t done = kPeriod; done < size; done *= 2) {
    std::copy_n(numbers.data(), std::min(done, size - done), numbers.data() + done);
  }
  return gradient;
}

// Gives the gradients of all shards of a rank; those of the last one in this order.
template <class Order>
void compute_shards(const RankExchange& exchange, const Parameters& parameters, ShardGradients& sums,
                    Order order, OverlappedSum& total) {
  total.during([&] {
    for (int64_t shard = exchange.begin(); shard < exchange.end(); ++shard) {
      for (const size_t i : order) {
        parameters.all()[i].var.accumulate(shard_gradient(parameters, shard, i));
        if (shard + 1 < exchange.end()) continue;
        sums.take(i);
        total.complete(i);
      }
      sums.take();
    }
  });
}

void expect_all_well(const std::vector<std::optional<Error>>& errors) {
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
}

// In one process, and by a sum in another order.
TEST(OverlappedSum, GivesTheBitsOfOneProcessForAnyOrderOfCompletion) {
  Parameters alone = parameters_of_several_rounds();
  const RankExchange none(nullptr, alone, kStepShards);
  ShardGradients all(alone, kStepShards);
  std::vector<Tensor> chain;  // one shard after the other
  for (size_t i = 0; i < std::size(kParameterSizes); ++i) chain.push_back(shard_gradient(alone, 0, i));
  for (int64_t shard = 0; shard < kStepShards; ++shard) {
    for (size_t i = 0; i < std::size(kParameterSizes); ++i) {
      const Tensor gradient = shard_gradient(alone, shard, i);
      alone.all()[i].var.accumulate(gradient);
      if (shard > 0) add_gradient(chain[i], gradient);
    }
    all.take();
  }
  none.sum(all);
  EXPECT_NE(alone.all()[0].var.grad().values(), chain[0].values())
      << "these numbers do not depend on the order";
  for (const int ranks : {2, 3, 4, 8}) {
    std::vector<std::vector<size_t>> orders;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<size_t> order;
      for (size_t i = std::size(kParameterSizes); i-- > 0;) order.push_back(i);
      std::ranges::rotate(order, order.begin() + rank % 3);
      orders.push_back(order);
    }
    std::vector<int> owned(static_cast<size_t>(ranks));
    expect_all_well(dist::run_ranks(ranks, [&](dist::Transport& transport) {
      Parameters parameters = parameters_of_several_rounds();
      const RankExchange exchange(&transport, parameters, kStepShards);
      ShardGradients sums(parameters, kStepShards, exchange.begin(), exchange.end());
      OverlappedSum total(exchange, sums);
      compute_shards(exchange, parameters, sums, orders[transport.rank()], total);
      total.finish();
      for (size_t i = 0; i < std::size(kParameterSizes); ++i) {
        const Tensor& gradient = parameters.all()[i].var.grad();
        ASSERT_EQ(static_cast<bool>(gradient), exchange.owned()[i]);
        if (!gradient) continue;
        ++owned[transport.rank()];
        EXPECT_TRUE(gradient.values() == alone.all()[i].var.grad().values())
            << ranks << " ranks, parameter " << i;
      }
    }));
    EXPECT_EQ(std::accumulate(owned.begin(), owned.end(), 0), std::ssize(kParameterSizes));
  }
}

// Messages of the first round are sent while this rank has not computed the other gradients.
TEST(OverlappedSum, SendsBeforeAllGradientsAreComplete) {
  std::atomic<int> messages = 0, early = 0;
  expect_all_well(dist::run_ranks(
      2,
      [&](dist::Transport& transport) {
        Parameters parameters = parameters_of_several_rounds();
        const RankExchange exchange(&transport, parameters, 2);
        EXPECT_GT(exchange.rounds(), 1);
        ShardGradients sums(parameters, 2, exchange.begin(), exchange.end());
        OverlappedSum total(exchange, sums);
        total.during([&] {
          for (size_t i = std::size(kParameterSizes); i-- > 0;) {
            parameters.all()[i].var.accumulate(shard_gradient(parameters, transport.rank(), i));
            sums.take(i);
            total.complete(i);
            if (i != 1) continue;
            for (int wait = 0; wait < 5000 && messages == 0; ++wait) {
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            if (messages > 0) ++early;
          }
          sums.take();
        });
        total.finish();
      },
      [&](int) {
        dist::TcpOptions options = dist::quick_options();
        options.before_message = [&](int64_t) { ++messages; };
        return options;
      }));
  EXPECT_EQ(early, 2);
}

TEST(OverlappedSum, EndsOnAllRanksIfTheComputationFails) {
  const auto errors = dist::run_ranks(3, [&](dist::Transport& transport) {
    Parameters parameters = parameters_of_several_rounds();
    const RankExchange exchange(&transport, parameters, 3);
    ShardGradients sums(parameters, 3, exchange.begin(), exchange.end());
    OverlappedSum total(exchange, sums);
    total.during([&] {
      for (size_t i = std::size(kParameterSizes); i-- > 0;) {
        if (i == 3 && transport.rank() == 1) fail(Fault::resource, "out of memory");
        parameters.all()[i].var.accumulate(shard_gradient(parameters, transport.rank(), i));
        sums.take(i);
        total.complete(i);
      }
      sums.take();
    });
    total.finish();
  });
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_TRUE(errors[rank]);
    EXPECT_EQ(errors[rank]->fault(), rank == 1 ? Fault::resource : Fault::peer) << errors[rank]->what();
    EXPECT_TRUE(contains(errors[rank]->what(), "out of memory")) << errors[rank]->what();
  }
}

}  // namespace
}  // namespace locus
