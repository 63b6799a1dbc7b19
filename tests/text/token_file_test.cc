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
      EXPECT_TRUE(TokenFile::recognises(folder / "x"));
    }
  }
}

TEST(TokenFile, AnUnfinishedOneLeavesNothing) {
  const TemporaryFolder folder;
  TokenFileWriter(folder / "x", 5).write(Ids{1, 2});
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
  expect_error(Fault::data, {"x': token 3 is 5, expected 0 to 4"}, [&] {
    TokenFileWriter writer(folder / "x", 5);
    writer.write(Ids{1, 2});
    writer.write(Ids{3, 5});
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A good file with some of its bytes replaced.
void expect_refused(size_t offset, const std::string& bytes, const std::string& message) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {1, 2, 299});
  std::string file = read_file(folder / "x");
  file.replace(offset, bytes.size(), bytes);
  put(folder / "x", file);
  expect_error(Fault::data, {message.c_str()}, [&] { all(TokenFile(folder / "x")); });
}

TEST(TokenFile, WrongMagicVersionOrWidth) {
  expect_refused(0, "LOCUSTIK", "x' begins with 'LOCUSTIK', expected 'LOCUSTOK'; is it a token file?");
  expect_refused(8, "\x02", "x': its version is 2, expected 1");
  expect_refused(12, "\x03", "x': an id takes 3 bytes, expected 2 or 4");
  expect_refused(16, std::string(8, '\0'), "x': the vocabulary has 0 tokens, expected 1 to 2147483647");
  expect_refused(19, "\xff", "x': the vocabulary has 4278190380 tokens");
}

TEST(TokenFile, IdPastTheVocabulary) {
  expect_refused(26, "\x2c\x01", "x': token 1 is 300, expected 0 to 299");
}

TEST(TokenFile, WrongSize) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {1, 2, 3});
  const std::string good = read_file(folder / "x");
  const auto refused = [&](const std::string& bytes, const char* message) {
    put(folder / "y", bytes);
    expect_error(Fault::data, {message}, [&] { TokenFile(folder / "y"); });
  };
  refused("", "has 0 bytes, expected at least 32; is it a token file?");
  refused(good.substr(0, 31), "has 31 bytes, expected at least 32");
  refused(good.substr(0, good.size() - 1),
          "its ids take 5 bytes, expected a multiple of 2; is the file cut short?");
  refused(good + "x", "its ids take 7 bytes, expected a multiple of 2");
  refused(good.substr(0, good.size() - 2), "but holds 2 ids; is the file cut short?");
  refused(good + "xx", "but holds 4 ids; is the file cut short?");
}

TEST(TokenFile, EmptyOneHasNoWindow) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {});
  const auto file = std::make_shared<TokenFile>(folder / "x");
  EXPECT_EQ(file->size(), 0);
  expect_error(Fault::data, {"x' has 0 tokens, expected at least 5"}, [&] { Windows(file, {.context = 4}); });
}

// A sparse file of 5 GiB: it takes no room, and its places need more than 32 bits.
TEST(TokenFile, PastFourGibibytes) {
  const TemporaryFolder folder;
  write_tokens(folder / "x", 300, {});
  const std::string good = read_file(folder / "x");
  constexpr uint64_t kIds = (uint64_t{5} << 30) / 2;
  std::error_code error;
  std::filesystem::resize_file(folder / "x", 24 + 2 * kIds + 8, error);
  if (error) GTEST_SKIP() << "no sparse file of 5 GiB: " << error.message();
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
