#include "locus/apply/kept_vectors.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

using Block = KeptVectors::Block;

class KeptVectorsTest : public ::testing::Test {
 protected:
  // The texts of the blocks that a new process finds.
  std::vector<std::string> found(const std::string& job = "job") {
    KeptVectors kept(output, job);
    std::vector<std::string> texts;
    while (const auto block = kept.next()) {
      EXPECT_EQ(block->rows.size(), block->texts.size());
      texts.insert(texts.end(), block->texts.begin(), block->texts.end());
    }
    return texts;
  }
  void write_three() {
    KeptVectors kept(output, "job");
    EXPECT_FALSE(kept.next());
    kept.add({2, {1, 2}, {"a", "b"}});
    kept.add({4, {}, {}});
    kept.add({5, {3}, {"c"}});
  }
  const TemporaryFolder folder{in_memory()};
  const std::filesystem::path output = folder / "v.npy", blocks = folder / "v.npy.blocks";
};

TEST_F(KeptVectorsTest, ContinueAfterTheLastBlock) {
  EXPECT_FALSE(KeptVectors::are_there(output));
  write_three();
  EXPECT_TRUE(KeptVectors::are_there(output));
  {
    KeptVectors kept(output, "job");
    for (const auto& [records, rows] : {std::pair(2, 2), {4, 0}, {5, 1}}) {
      const std::optional<Block> block = kept.next();
      ASSERT_TRUE(block);
      EXPECT_EQ(block->records, records);
      EXPECT_EQ(std::ssize(block->rows), rows);
    }
    EXPECT_FALSE(kept.next());
    kept.add({7, {4, 5}, {"", "e"}});
  }
  EXPECT_EQ(found(), (std::vector<std::string>{"a", "b", "c", "", "e"}));
  KeptVectors(output, "job").remove();
  EXPECT_FALSE(std::filesystem::exists(blocks));
}

TEST_F(KeptVectorsTest, AnotherJobStartsAgain) {
  write_three();
  EXPECT_TRUE(found("another model").empty());
  EXPECT_TRUE(found("job").empty());
}

// A damaged block and those after it are computed again.
TEST_F(KeptVectorsTest, DamagedBlocksAreNotUsed) {
  write_three();
  const std::string whole = read_file(blocks / "1.block");
  for (const std::string& bytes : {std::string(), whole.substr(0, whole.size() - 1), whole + "x",
                                   "2" + whole.substr(1), std::string(100, '\xff')}) {
    put(blocks / "1.block", bytes);
    EXPECT_EQ(found(), (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(std::filesystem::exists(blocks / "2.block"));
    std::filesystem::remove_all(blocks);
    write_three();
  }
}

TEST_F(KeptVectorsTest, AChangedByteIsNoticed) {
  write_three();
  std::string bytes = read_file(blocks / "2.block");
  bytes.back() = 'd';  // of the text
  put(blocks / "2.block", bytes);
  EXPECT_EQ(found(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(KeptVectorsTest, FoldersOfOthersStay) {
  std::filesystem::create_directory(blocks);
  put(blocks / "mine.block", "x");
  expect_error(Fault::usage, {"v.npy.blocks", "job.txt"}, [&] { KeptVectors(output, "job"); });
  EXPECT_TRUE(std::filesystem::exists(blocks / "mine.block"));
}

TEST_F(KeptVectorsTest, OneProcessWrites) {
  const KeptVectors kept(output, "job");
  expect_error(Fault::io, {"v.npy.blocks"}, [&] { KeptVectors(output, "job"); });
}

}  // namespace
}  // namespace locus
