#include "locus/text/token_file.h"

#include <gtest/gtest.h>

#include "locus/base/random.h"
#include "locus/text/windows.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

Ids all(const TokenFile& file) {
  Ids ids(static_cast<size_t>(file.size()));
  file.read(0, ids);
  return ids;
}

void write_tokens(const std::filesystem::path& path, int32_t vocabulary, const Ids& ids) {
  TokenFileWriter writer(path, vocabulary);
  const size_t half = ids.size() / 2;
  writer.write(std::span(ids).subspan(0, half));
  writer.write(std::span(ids).subspan(half));
  writer.commit();
}

TEST(TokenFile, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  for (const int32_t vocabulary : {1, 0x10000, 0x10001, INT32_MAX}) {
    for (const size_t size : {0, 1, 2, 1001}) {
      Ids ids(size, vocabulary - 1);
      const Random random(size, static_cast<uint64_t>(vocabulary));
      for (size_t i = 1; i < size; ++i) {
        ids[i] = static_cast<int32_t>(random.below(i, static_cast<uint32_t>(vocabulary)));
      }
      write_tokens(folder / "x", vocabulary, ids);
      const TokenFile file(folder / "x");
      EXPECT_EQ(file.vocabulary(), vocabulary);
      EXPECT_EQ(all(file), ids);
      EXPECT_TRUE(TokenFile::recognizes(folder / "x"));
    }
  }
}

TEST(TokenFile, AnUnfinishedFileLeavesNothing) {
  const TemporaryFolder folder;
  TokenFileWriter(folder / "x", 5).write(Ids{1, 2});
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
  expect_error(Fault::data, {(folder / "x").c_str(), "token 3", "5", "0 to 4"}, [&] {
    TokenFileWriter writer(folder / "x", 5);
    writer.write(Ids{1, 2});
    writer.write(Ids{3, 5});
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Replaces some bytes of a valid file.
void expect_refused(size_t offset, const std::string& bytes, std::initializer_list<const char*> values) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {1, 2, 299});
  std::string file = read_file(folder / "x");
  file.replace(offset, bytes.size(), bytes);
  put(folder / "x", file);
  expect_error(Fault::data, {(folder / "x").c_str()}, [&] { all(TokenFile(folder / "x")); });
  expect_error(Fault::data, values, [&] { all(TokenFile(folder / "x")); });
}

TEST(TokenFile, WrongMagicVersionOrWidth) {
  expect_refused(0, "LOCUSTIK", {"'LOCUSTIK'", "'LOCUSTOK'"});
  expect_refused(8, "\x02", {"version is 2", "1"});
  expect_refused(12, "\x03", {"3 bytes", "2 or 4"});
  expect_refused(16, std::string(8, '\0'), {"0 tokens", "1 to 2147483647"});
  expect_refused(19, "\xff", {"4278190380 tokens"});
}

TEST(TokenFile, IdPastTheVocabulary) { expect_refused(26, "\x2c\x01", {"token 1", "300", "0 to 299"}); }

TEST(TokenFile, WrongSize) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {1, 2, 3});
  const std::string good = read_file(folder / "x");
  const auto refused = [&](const std::string& bytes, std::initializer_list<const char*> values) {
    put(folder / "y", bytes);
    expect_error(Fault::data, Code::damaged_file, values, [&] { TokenFile(folder / "y"); });
  };
  refused("", {"0 bytes", "32"});
  refused(good.substr(0, 31), {"31 bytes", "32"});
  refused(good.substr(0, good.size() - 1), {"5 bytes", "2"});
  refused(good + "x", {"7 bytes", "2"});
  refused(good.substr(0, good.size() - 2), {"2 ids"});
  refused(good + "xx", {"4 ids"});
}

TEST(TokenFile, AnEmptyFileHasNoWindow) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {});
  const auto file = std::make_shared<TokenFile>(folder / "x");
  EXPECT_EQ(file->size(), 0);
  expect_error(Fault::data, {(folder / "x").c_str(), "0 tokens", "5"},
               [&] { Windows(file, {.context = 4}); });
}

// A sparse file of 5 GiB takes no disk space, and its offsets need more than 32 bits.
TEST(TokenFile, PastFourGibibytes) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {});
  const std::string good = read_file(folder / "x");
  constexpr uint64_t kIds = (uint64_t{5} << 30) / 2;
  std::error_code error;
  std::filesystem::resize_file(folder / "x", 24 + 2 * kIds + 8, error);
  if (error) GTEST_SKIP() << "cannot create a sparse file of 5 GiB: " << error.message();
  const std::string tail =
      std::string("\x07\x00\x09\x00", 4) + std::string(reinterpret_cast<const char*>(&kIds), sizeof(kIds));
  std::FILE* out = std::fopen((folder / "x").c_str(), "r+b");
  ASSERT_NE(out, nullptr);
  std::fseek(out, -static_cast<long>(tail.size()), SEEK_END);
  ASSERT_EQ(std::fwrite(tail.data(), 1, tail.size(), out), tail.size());
  std::fclose(out);

  const auto file = std::make_shared<TokenFile>(folder / "x");
  EXPECT_EQ(file->size(), static_cast<int64_t>(kIds));
  const Windows windows(file, {.context = 3, .stride = 1, .batch = 1});
  const WindowBatch last = windows.batch(0, windows.batches() - 1);
  EXPECT_EQ(last.inputs, (Ids{0, 0, 7}));
  EXPECT_EQ(last.targets, (Ids{0, 7, 9}));
}

}  // namespace
}  // namespace locus
