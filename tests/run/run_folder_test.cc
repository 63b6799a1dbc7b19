#include "locus/run/run_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "locus/run/manifest.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/train/change_checkpoint.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

Checkpoint checkpoint_of(int64_t step, int64_t best_step = 0) {
  return {.state = {.step = step, .seed = 7, .tokens = 99, .best_step = best_step, .best_loss = 0.1},
          .model = {{"a", Tensor::full({2, 3}, static_cast<double>(step))}, {"b", Tensor::full({3}, 2)}},
          .optimizer = sources_of({{"first.a", Tensor::zeros({2, 3})}}),
          .config = "a = 1\n",
          .files = {{"words.txt", "one\n"}}};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

TEST(RunFolder, SavesACheckpoint) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place / "deep/run");
  std::vector<std::string> notes;
  EXPECT_FALSE(folder.newest(notes));
  folder.save(checkpoint_of(3, 3));
  const fs::path last = place / "deep/run/last";
  EXPECT_EQ(names_in(last), (std::vector<std::string>{"config.toml", "manifest", "model.safetensors",
                                                      "optimizer.safetensors", "state.toml", "words.txt"}));
  EXPECT_EQ(SafetensorsFile(last / "model.safetensors").read("a").values(), std::vector<float>(6, 3));
  EXPECT_EQ(read_file(last / "words.txt"), "one\n");
  const RunState state = read_state(last);
  EXPECT_EQ(state.step, 3);
  EXPECT_EQ(state.seed, 7);
  EXPECT_EQ(state.tokens, 99);
  EXPECT_EQ(state.best_loss, 0.1);
  EXPECT_EQ(folder.newest(notes), place / "deep/run/steps/00000003");
  EXPECT_TRUE(notes.empty());
}

TEST(RunFolder, KeepsTheNewestTwoAndTheBest) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  for (int64_t step = 1; step <= 5; ++step) folder.save(checkpoint_of(step, step < 2 ? 1 : 2));
  EXPECT_EQ(names_in(place / "steps"), (std::vector<std::string>{"00000002", "00000004", "00000005"}));
  EXPECT_EQ(fs::read_symlink(place / "last"), "steps/00000005");
  EXPECT_EQ(fs::read_symlink(place / "best"), "steps/00000002");
}

// The process was killed between the save of the newest checkpoint and the removal of the old one.
TEST(RunFolder, RemovesAnOldCheckpointThatAKilledRunLeft) {
  const TemporaryFolder place(in_memory());
  {
    RunFolder folder(place.path());
    for (int64_t step = 1; step <= 3; ++step) folder.save(checkpoint_of(step));
    fs::copy(place / "steps/00000003", place / "steps/00000001");
  }
  std::vector<std::string> notes;
  EXPECT_EQ(RunFolder(place.path()).newest(notes), place / "steps/00000003");
  EXPECT_EQ(names_in(place / "steps"), (std::vector<std::string>{"00000002", "00000003"}));
}

TEST(RunFolder, AFlippedBitInAnyFileIsDetected) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  folder.save(checkpoint_of(1));
  for (const std::string& name : names_in(place / "last")) {
    const std::string whole = read_file(place / "last" / name);
    for (size_t bit = 0; bit < 8 * whole.size();
         bit += 11) {  // 11 and 8 are coprime: visits all positions in a byte
      std::string damaged = whole;
      damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
      // Not synced, because there are a few thousand writes.
      std::FILE* file = std::fopen((place / "last" / name).c_str(), "wb");
      std::fwrite(damaged.data(), 1, damaged.size(), file);
      std::fclose(file);
      EXPECT_THROW(verify_manifest(place / "last"), Error) << name << ", bit " << bit;
    }
    write_file(place / "last" / name, whole);
  }
  EXPECT_NO_THROW(verify_manifest(place / "last"));
}

TEST(RunFolder, ErrorsNameTheDamagedFile) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  folder.save(checkpoint_of(1));
  const fs::path last = place / "last";
  const auto expect_damage = [&](const char* name, const std::string& contents,
                                 std::initializer_list<const char*> values) {
    const std::string whole = read_file(last / name);
    write_file(last / name, contents);
    expect_error(Fault::data, Code::damaged_file, values, [&] { verify_manifest(last); });
    write_file(last / name, whole);
  };
  std::string model = read_file(last / "model.safetensors");
  model.back() ^= 1;
  expect_damage("model.safetensors", model, {"model.safetensors", "'b'"});
  model[20] ^= 1;
  expect_damage("model.safetensors", model, {"model.safetensors", "header"});
  expect_damage("config.toml", "a = 2\n", {"config.toml"});
  expect_damage("manifest", "", {"last/manifest"});
  expect_damage("manifest", read_file(last / "manifest") + "\n", {"last/manifest"});
  fs::remove(last / "words.txt");
  expect_error(Fault::io, {"words.txt"}, [&] { verify_manifest(last); });
}

TEST(RunFolder, FallsBackToAnEarlierCheckpointWithANote) {
  const TemporaryFolder place(in_memory());
  {
    RunFolder folder(place.path());
    folder.save(checkpoint_of(1, 1));
    folder.save(checkpoint_of(2, 2));
    write_file(place / "steps/00000002/state.toml", "step = 2\n");
  }
  RunFolder folder(place.path());
  std::vector<std::string> notes;
  EXPECT_EQ(folder.newest(notes), place / "steps/00000001");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(names(notes[0], "step 2")) << notes[0];
  EXPECT_TRUE(names(notes[0], "steps/00000002")) << notes[0];
  EXPECT_EQ(fs::read_symlink(place / "last"), "steps/00000001");
  EXPECT_EQ(fs::read_symlink(place / "best"), "steps/00000001");
  EXPECT_EQ(names_in(place / "steps"), std::vector<std::string>{"00000001"});

  write_file(place / "steps/00000001/state.toml", "step = 1\n");
  expect_error(Fault::data, Code::damaged_file, {place.path().c_str(), "step 1"},
               [&] { folder.newest(notes); });
}

TEST(RunFolder, ABestCheckpointThatWasDamagedIsNoLongerTheBest) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  for (int64_t step = 1; step <= 2; ++step) folder.save(checkpoint_of(step, step));
  write_file(place / "steps/00000002/config.toml", "");
  std::vector<std::string> notes;
  folder.newest(notes);
  EXPECT_EQ(fs::read_symlink(place / "best"), "steps/00000001");
}

TEST(RunFolder, RemovesUnfinishedFilesOfAKilledRun) {
  const TemporaryFolder place(in_memory());
  { RunFolder folder(place.path()); }
  fs::create_directory(place / "steps/00000009.part");
  write_file(place / "steps/00000009.part/model.safetensors", "half");
  fs::create_symlink("nowhere", place / "last.part");
  RunFolder folder(place.path());
  std::vector<std::string> notes;
  EXPECT_FALSE(folder.newest(notes));
  EXPECT_EQ(names_in(place.path()), (std::vector<std::string>{"lock", "steps"}));
  EXPECT_TRUE(names_in(place / "steps").empty());
}

TEST(RunFolder, IsUsedByOneRunAtATime) {
  const TemporaryFolder place(in_memory());
  {
    const RunFolder folder(place.path());
    expect_error(Fault::io, {place.path().c_str(), std::to_string(::getpid()).c_str()},
                 [&] { RunFolder second(place.path()); });
  }
  const RunFolder free_again(place.path());
}

TEST(RunFolder, AnUnusablePathIsAnError) {
  const TemporaryFolder place(in_memory());
  write_file(place / "file", "");
  expect_error(Fault::io, {(place / "file").c_str()}, [&] { RunFolder folder(place / "file"); });
  RunFolder folder(place / "run");
  fs::create_directory(place / "run/last");
  write_file(place / "run/last/mine", "");
  expect_error(Fault::io, {"last"}, [&] { folder.save(checkpoint_of(1)); });
  EXPECT_TRUE(fs::exists(place / "run/last/mine"));
}

TEST(RunFolder, OtherFilesAreNeverChanged) {
  const TemporaryFolder place(in_memory());
  write_file(place / "thesis.part", "mine");
  expect_error(Fault::usage, Code::output_exists, {place.path().c_str(), "steps"},
               [&] { RunFolder folder(place.path()); });
  EXPECT_EQ(names_in(place.path()), std::vector<std::string>{"thesis.part"});
  fs::create_directory(place / "steps");  // now it is a run
  { RunFolder folder(place.path()); }
  EXPECT_EQ(read_file(place / "thesis.part"), "mine");

  fs::remove(place / "lock");
  write_file(place / "lock", "12 of mine");
  expect_error(Fault::io, {"lock"}, [&] { RunFolder folder(place.path()); });
  EXPECT_EQ(read_file(place / "lock"), "12 of mine");
  fs::remove(place / "lock");
  fs::create_symlink("thesis.part", place / "lock");
  expect_error(Fault::io, {"lock"}, [&] { RunFolder folder(place.path()); });
  EXPECT_EQ(read_file(place / "thesis.part"), "mine");
}

TEST(RunFolder, ACheckpointWithAnotherStepIsDamaged) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  for (const char* state : {"step = 1\n", "step = -2\n"}) {
    for (int64_t step = 1; step <= 2; ++step) folder.save(checkpoint_of(step));
    change_checkpoint(place / "steps/00000002", "state.toml", state);
    std::vector<std::string> notes;
    EXPECT_EQ(folder.newest(notes), place / "steps/00000001");
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_TRUE(names(notes[0], "state.toml") && names(notes[0], "step")) << notes[0];
    discard_folder(place / "steps/00000001");
  }
}

// A limit on file sizes simulates a full disk: writes fail in the middle of the largest file.
TEST(RunFolder, AWriteThatFailsLeavesTheOldCheckpointAndNothingElse) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  folder.save(checkpoint_of(1));
  Checkpoint large = checkpoint_of(2);
  large.model[0].second = Tensor::zeros({1000, 1000});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 100'000, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  expect_error(Fault::io, {"model.safetensors", "File too large"}, [&] { folder.save(large); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(names_in(place / "steps"), std::vector<std::string>{"00000001"});
  EXPECT_EQ(fs::read_symlink(place / "last"), "steps/00000001");
  folder.save(large);
}

}  // namespace
}  // namespace locus
