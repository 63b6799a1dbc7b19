// Training runs whose ranks are threads of this process.
#pragma once

#include <gtest/gtest.h>

#include "tests/dist/ranks.h"
#include "tests/temporary_folder.h"
#include "tests/train/run_result.h"
#include "tests/train/trainee.h"

namespace locus::testing {

// Trains the trainee on some ranks, of which each has its own and rank 0 has the folder.
struct RankTraining {
  TrainSettings settings = trainee_settings(10);
  std::optional<Continuation> continuation = {};
  // Of a rank, before it trains.
  std::function<void(int rank, TrainJob& job, Trainee& trainee)> change = {};
  std::function<bool(int rank, int64_t step)> stop = {};

  // The error of each rank, or nothing.
  std::vector<std::optional<Error>> run(int ranks, const std::filesystem::path& path) const {
    return dist::run_ranks(ranks, [&](dist::Transport& transport) {
      const int rank = transport.rank();
      Trainee trainee;
      std::optional<RunFolder> folder;
      if (rank == 0) folder.emplace(path);
      int64_t step = 0;
      TrainJob job{.objective = trainee,
                   .parameters = trainee.parameters,
                   .folder = folder ? &*folder : nullptr,
                   .settings = settings,
                   .config = Settings::parse("a = 1\n", "config"),
                   .files = {{"words.txt", "one\ntwo\n"}},
                   .continuation = continuation,
                   .hooks = {.progress = [&](const TrainProgress& progress) { step = progress.last.step; },
                             .stop = [&] { return stop && stop(rank, step + 1); }},
                   .ranks = &transport};
      if (change) change(rank, job, trainee);
      train(std::move(job));
    });
  }
  void expect_trained(int ranks, const std::filesystem::path& path) const {
    const auto errors = run(ranks, path);
    for (size_t rank = 0; rank < errors.size(); ++rank) {
      EXPECT_FALSE(errors[rank]) << "rank " << rank << " of " << ranks << ": " << errors[rank]->what();
    }
  }
  std::string result(int ranks) const {
    const TemporaryFolder folder(in_memory());
    expect_trained(ranks, folder.path());
    return result_of(folder.path());
  }
};

}  // namespace locus::testing
