// Commands that several processes run together, over TCP on this machine.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <thread>

#include "locus/base/file.h"
#include "tests/cli/text_commands.h"
#include "tests/dist/ranks.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// The same command as every rank of a job. `own` adds arguments for one rank.
std::vector<Outcome> run_as_ranks(int size, const std::string& arguments,
                                  const std::function<std::string(int rank)>& own = {}) {
  const int port = dist::free_port();
  std::vector<Outcome> outcomes(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      outcomes[rank] = run_program(fmt::format("{} --rank {} --ranks {} --master 127.0.0.1:{} {}", arguments,
                                               rank, size, port, own ? own(rank) : ""),
                                   "LOCUS_THREADS=1");
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

// Rank 0 prints what one process prints, the others nothing.
void expect_all_fine(const std::vector<Outcome>& outcomes) {
  for (size_t rank = 0; rank < outcomes.size(); ++rank) {
    EXPECT_EQ(outcomes[rank].exit_code, 0) << "rank " << rank << "\n" << outcomes[rank].err;
    EXPECT_TRUE(rank == 0 || outcomes[rank].out + outcomes[rank].err == "") << outcomes[rank].err;
  }
}

class CommandsOfRanksSlow : public TextCommands {
 protected:
  std::string compare(const std::string& out) const {
    return "compare --schemes none,t5,rotary --tasks back --seeds 2 --steps 4 --length 16 --lengths 24 "
           "--out " +
           (folder / out).string();
  }
  std::string embed(const std::string& input, const std::string& out) const {
    return fmt::format("embed {} --file {} --out {}", model("embed"), input, (folder / out).string());
  }
  // Files of different lengths, with enough texts for several blocks.
  std::string many_texts() const {
    std::string lines;
    for (int i = 0; i < 2500; ++i) {
      lines += i % 7 == 0 ? fmt::format("it sat {}\n", i) : fmt::format("the dog ran past {} cats\n", i);
    }
    return file("lines.txt", lines);
  }
  void expect_same(const std::string& one, const std::string& other) const {
    for (const char* ending : {"", ".jsonl"}) {
      EXPECT_TRUE(read_file(folder / (one + ending)) == read_file(folder / (other + ending)))
          << other << ending;
    }
  }
};

TEST_F(CommandsOfRanksSlow, CompareGivesTheSameResults) {
  const Outcome alone = run_program(compare("one"));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  for (const int size : {2, 3}) {
    const std::vector<Outcome> outcomes = run_as_ranks(size, compare(std::to_string(size)));
    expect_all_fine(outcomes);
    EXPECT_TRUE(contains(outcomes[0].err, "[6/6]")) << outcomes[0].err;
    EXPECT_EQ(read_file(folder / std::to_string(size) / "results.csv"),
              read_file(folder / "one" / "results.csv"));
  }
  // One process finds all cells.
  EXPECT_EQ(run_program(compare("3")).err, "");
}

TEST_F(CommandsOfRanksSlow, CompareWithABudget) {
  const std::vector<Outcome> outcomes = run_as_ranks(2, compare("b") + " --budget 5m");
  expect_all_fine(outcomes);
  expect_values(outcomes[0].err, {"budget 5m: 1 task, 2 seeds, 4 steps"});
}

TEST_F(CommandsOfRanksSlow, EmbedWritesTheSameFiles) {
  const std::string lines = many_texts();
  for (const std::string ending : {".npy", ".safetensors"}) {
    ASSERT_EQ(run_program(embed(lines, "one" + ending) + " --batch-tokens 256").exit_code, 0);
    for (const int size : {2, 3}) {
      const std::string name = std::to_string(size) + ending;
      const std::vector<Outcome> outcomes = run_as_ranks(size, embed(lines, name) + " --batch-tokens 256");
      expect_all_fine(outcomes);
      expect_values(outcomes[0].out, {"2500 embeddings"});
      expect_same("one" + ending, name);
      EXPECT_FALSE(fs::exists(folder / (name + ".blocks")));
    }
  }
  const std::string printed = run_program(fmt::format("embed {} --file {}", model("embed"), lines)).out;
  EXPECT_TRUE(run_as_ranks(2, fmt::format("embed {} --file {}", model("embed"), lines))[0].out == printed);
}

// Rank 0 is killed at a file operation, or its disk is full. The others name it. Another number of ranks then
// continues after the blocks that were kept.
TEST_F(CommandsOfRanksSlow, EmbedContinuesAfterAKill) {
  std::string lines;
  for (int i = 0; i < 18'000; ++i) lines += i % 3 == 0 ? "dog\n" : "cat\n";
  const std::string input = file("many.txt", lines),
                    command = embed(input, "v.npy") + " --batch-tokens 65536";
  ASSERT_EQ(run_program(embed(input, "one.npy")).exit_code, 0);
  for (const char* fault : {"kill 60", "fail 60"}) {
    SCOPED_TRACE(fault);
    const int port = dist::free_port();
    const auto as_rank = [&](const std::string& program, int rank) {
      const std::string err = (folder / fmt::format("err{}", rank)).string();
      return std::system(fmt::format("LOCUS_THREADS=1 LOCUS_FAULT='{}' {} {} --rank {} --ranks 2 --master "
                                     "127.0.0.1:{} >/dev/null 2>{}",
                                     rank == 0 ? fault : "", program, command, rank, port, err)
                             .c_str());
    };
    int ended = 0;
    std::thread other([&] { ended = as_rank(LOCUS_PROGRAM, 1); });
    EXPECT_NE(as_rank(LOCUS_FAULTY, 0), 0);
    other.join();
    EXPECT_EQ(WEXITSTATUS(ended), 7);
    expect_values(read_file(folder / "err1"), {"rank 0"});
    EXPECT_FALSE(fs::exists(folder / "v.npy"));
    ASSERT_TRUE(fs::exists(folder / "v.npy.blocks" / "0.block"));
    const std::vector<Outcome> outcomes = run_as_ranks(3, command);
    EXPECT_EQ(outcomes[0].exit_code, 0) << outcomes[0].err;
    EXPECT_TRUE(contains(outcomes[0].err, "resumes after")) << outcomes[0].err;
    expect_same("one.npy", "v.npy");
    EXPECT_FALSE(fs::exists(folder / "v.npy.blocks"));
    fs::remove(folder / "v.npy");
  }
}

// Lines that cannot be read are skipped on all ranks, and reported by rank 0.
TEST_F(CommandsOfRanksSlow, EmbedSkipsBadTexts) {
  std::string lines;
  for (int i = 0; i < 1500; ++i) {
    lines += i == 1200 ? "\xff\n" : fmt::format("the dog {}\n", i);
    for (int word = 0; i == 699 && word < 5000; ++word) lines += "dog ";
  }
  const std::string input = file("bad.txt", lines);
  const Outcome alone = run_program(embed(input, "one.npy") + " --skip-bad");
  EXPECT_TRUE(contains(alone.err, "line 1201")) << alone.err;
  const std::vector<Outcome> outcomes = run_as_ranks(3, embed(input, "three.npy") + " --skip-bad");
  EXPECT_EQ(outcomes[0].exit_code, 0);
  EXPECT_TRUE(contains(outcomes[0].err, "line 701")) << outcomes[0].err;
  EXPECT_TRUE(contains(outcomes[0].err, "line 1201")) << outcomes[0].err;
  expect_same("one.npy", "three.npy");
}

TEST_F(CommandsOfRanksSlow, RanksWithAnotherModelAreRefused) {
  const CopyOf other("embed");
  put(other / "config_sentence_transformers.json", "{}");
  const std::string input = file("x.txt", "the dog\n");
  const auto outcomes = run_as_ranks(2, "embed", [&](int rank) {
    return fmt::format("{} --file {} --out {}", rank == 0 ? model("embed") : other.path().string(), input,
                       (folder / "x.npy").string());
  });
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
    expect_values(outcome.err, {"rank 1", "embedder"});
  }
}

}  // namespace
}  // namespace locus
