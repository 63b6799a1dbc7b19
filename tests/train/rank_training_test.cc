// One run for any number of processes: the same bytes, whoever computes which shards, and after any stop.
#include "tests/train/rank_training.h"

#include <gtest/gtest.h>

#include "locus/base/parallel.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

namespace fs = std::filesystem;
using testing::RankTraining;
using testing::Trainee;
using testing::trainee_settings;

TEST(RankTraining, GivesTheSameBytesForAnyNumberOfRanks) {
  for (const int64_t micro_batches : {1, 3}) {
    RankTraining training;
    training.settings.shards = 8;
    training.settings.micro_batches = micro_batches;
    const std::string expected = training.result(1);
    for (const int ranks : {2, 3, 4, 8}) {
      EXPECT_TRUE(training.result(ranks) == expected) << ranks << " ranks, " << micro_batches;
    }
  }
}

// 5 and 7 shards divide into blocks that are not subtrees.
TEST(RankTraining, GivesTheSameBytesForAnyNumberOfShards) {
  for (const int64_t shards : {5, 7}) {
    RankTraining training;
    training.settings.shards = shards;
    training.settings.steps = 4;
    training.settings.eval_every = 2;
    const std::string expected = training.result(1);
    for (const int ranks : {2, 3, 4, 5}) {
      EXPECT_TRUE(training.result(ranks) == expected) << ranks << " ranks, " << shards;
    }
  }
}

TEST(RankTraining, GivesTheSameBytesForAnyNumberOfThreads) {
  const int before = threads();
  RankTraining training;
  training.settings.shards = 4;
  set_threads(1);
  const std::string expected = training.result(1);
  set_threads(3);
  EXPECT_TRUE(training.result(2) == expected);
  set_threads(before);
}

// A shard without a target has no gradient, and -0 is not 0.
class Sparse final : public Objective {
 public:
  explicit Sparse(Trainee& trainee) : trainee_(trainee) {}
  PartialLoss loss(const MicroBatch& micro_batch) override {
    if ((micro_batch.index + micro_batch.step) % 3 == 0) return {.tokens = 1};
    PartialLoss loss = trainee_.loss(micro_batch);
    const Tensor negative = Tensor::full({2}, -0.0);
    if (micro_batch.index % 4 == 1) trainee_.parameters.at("rare").accumulate(negative);
    return loss;
  }
  std::optional<Validation> evaluate() override { return trainee_.evaluate(); }

 private:
  Trainee& trainee_;
};

TEST(RankTraining, GivesTheSameBytesIfShardsHaveNoGradient) {
  const auto result = [](int ranks) {
    const TemporaryFolder folder(in_memory());
    const auto errors = dist::run_ranks(ranks, [&](dist::Transport& transport) {
      Trainee trainee;
      trainee.parameters.add("rare", Tensor::full({2}, 1), Role::bias);
      Sparse sparse(trainee);
      std::optional<RunFolder> place;
      if (transport.rank() == 0) place.emplace(folder.path());
      TrainSettings settings = trainee_settings(5);
      settings.shards = 8;
      settings.eval_every = 5;
      settings.micro_batches = 1;
      train({.objective = sparse,
             .parameters = trainee.parameters,
             .folder = place ? &*place : nullptr,
             .settings = settings,
             .ranks = &transport});
    });
    for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
    return result_of(folder.path());
  };
  const std::string expected = result(1);
  for (const int ranks : {2, 3, 8}) EXPECT_TRUE(result(ranks) == expected) << ranks << " ranks";
}

TEST(RankTraining, StopsOnAllRanksAndResumesWithAnotherNumber) {
  RankTraining training;
  training.settings.shards = 4;
  const std::string expected = training.result(1);
  for (const auto& [first, second] : std::vector<std::pair<int, int>>{{3, 2}, {1, 4}, {4, 1}}) {
    const TemporaryFolder folder(in_memory());
    RankTraining stopped = training;
    stopped.stop = [last = first - 1](int rank, int64_t step) { return rank == last && step == 5; };
    stopped.expect_trained(first, folder.path());
    EXPECT_EQ(read_state(folder / "last").step, 5);
    training.expect_trained(second, folder.path());
    EXPECT_TRUE(result_of(folder.path()) == expected) << first << " ranks, then " << second;
  }
}

// Frozen parameters have no owner and no moments; thawed ones get moments that begin late.
TEST(RankTraining, ContinuesWithOtherFrozenParameters) {
  const auto result = [](int ranks) {
    const TemporaryFolder begun(in_memory()), folder(in_memory());
    RankTraining training;
    training.settings.shards = 4;
    training.settings.frozen = "second.*";
    training.settings.steps = 4;
    training.expect_trained(ranks, begun.path());
    training.settings.frozen = "first.bias";
    training.settings.steps = 9;
    training.continuation = {.checkpoint = begun / "last", .metrics = begun / "metrics.jsonl"};
    training.change = [](int, TrainJob& job, Trainee&) { job.config.set("a=2"); };
    training.expect_trained(ranks, folder.path());
    return result_of(folder.path()) + read_file(folder / "last/changes.jsonl");
  };
  const std::string expected = result(1);
  for (const int ranks : {2, 3}) EXPECT_TRUE(result(ranks) == expected) << ranks << " ranks";
}

void expect_on_all(const std::vector<std::optional<Error>>& errors, Fault fault,
                   std::initializer_list<const char*> values) {
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault(), fault) << error->what();
    expect_named(*error, values);
  }
}

TEST(RankTraining, RefusesMoreRanksThanShards) {
  const TemporaryFolder folder(in_memory());
  RankTraining training;
  training.settings.shards = 2;
  expect_on_all(training.run(3, folder.path()), Fault::usage, {"train.shards", "2", "3"});
}

TEST(RankTraining, RefusesRanksThatDiffer) {
  const TemporaryFolder folder(in_memory());
  RankTraining training;
  training.settings.shards = 4;
  training.change = [](int rank, TrainJob& job, Trainee&) {
    if (rank == 1) job.config.set("a=5");
  };
  expect_on_all(training.run(2, folder.path()), Fault::peer, {"rank 1", "a", "5", "1"});
  training.change = [](int rank, TrainJob& job, Trainee&) {
    if (rank == 2) job.files[0].second = "three";
  };
  expect_on_all(training.run(3, folder.path()), Fault::peer, {"rank 2", "words.txt", "three", "one"});
  training.change = [](int rank, TrainJob&, Trainee& trainee) {
    if (rank == 1) trainee.parameters.at("first.bias").value().data<float>()[3] += 1;
  };
  expect_on_all(training.run(2, folder.path()), Fault::peer, {"rank 1", "first.bias"});
  EXPECT_FALSE(fs::exists(folder / "last"));
}

// A bit that flips in the memory of one rank. The owners send their parameters to all ranks in every step, so
// only frozen ones stay different.
TEST(RankTraining, ComparesParametersBeforeEachCheckpoint) {
  const TemporaryFolder folder(in_memory());
  RankTraining training;
  training.settings.shards = 2;
  training.settings.frozen = "second.*";
  training.change = [](int rank, TrainJob& job, Trainee& trainee) {
    if (rank != 1) return;
    job.hooks.progress = [&](const TrainProgress& progress) {
      if (progress.last.step == 4) trainee.parameters.at("second.weight").value().data<float>()[0] = 9;
    };
  };
  expect_on_all(training.run(2, folder.path()), Fault::peer, {"rank 1", "second.weight"});
  EXPECT_EQ(read_state(folder / "last").step, 3);
}

TEST(RankTraining, DivergesOnAllRanks) {
  const TemporaryFolder folder(in_memory());
  RankTraining training;
  training.settings.shards = 3;
  training.change = [](int rank, TrainJob&, Trainee& trainee) { trainee.nan_at = rank == 1 ? 5 : 0; };
  expect_on_all(training.run(3, folder.path()), Fault::diverged, {"step 5", "nan"});
  EXPECT_EQ(read_state(folder / "last").step, 3);
}

}  // namespace
}  // namespace locus
