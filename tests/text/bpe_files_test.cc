// Malformed vocab.bpe + encoder.json and rank files: errors name the file, the line and the value.
#include "locus/text/bpe_files.h"

#include <gtest/gtest.h>

#include "locus/base/json.h"
#include "locus/text/base64.h"
#include "locus/text/byte_alphabet.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

// The 256 bytes with ids 0 to 255, then `more` from 256 on; "last" replaces the closing brace.
std::string encoder(const std::vector<std::string>& more, const std::string& last = "}") {
  std::string text = "{";
  int id = 0;
  for (const uint8_t byte : bytes_in_order()) {
    const char c = static_cast<char>(byte);
    text += fmt::format("{}{}: {}", id == 0 ? "" : ", ", json::text(spelled({&c, 1})), id);
    ++id;
  }
  for (const std::string& word : more) text += fmt::format(", {}: {}", json::text(word), id++);
  return text + last;
}

void expect_refused(const std::string& merges, const std::string& ids,
                    std::initializer_list<const char*> values, Code code = Code::none) {
  const TemporaryFolder folder;
  put(folder / "vocab.bpe", merges);
  put(folder / "encoder.json", ids);
  expect_error(Fault::data, code, values, [&] { load_tokenizer(folder.path()); });
}

TEST(Merges, ReadsValidFiles) {
  const TemporaryFolder folder;
  put(folder / "vocab.bpe", "#version: 0.2\r\nt h\r\nth e\n# #\n");
  put(folder / "encoder.json", encoder({"th", "the", "##", "<end>", "two words"}));
  const auto bpe = load_tokenizer(folder.path());
  EXPECT_EQ(bpe->size(), 261);
  EXPECT_EQ(bpe->encode("the th##"), (std::vector<int32_t>{257, 220, 256, 258}));
  EXPECT_EQ(bpe->specials().ids(), (std::map<std::string, int32_t>{{"<end>", 259}, {"two words", 260}}));
}

TEST(Merges, UnknownTokens) {
  expect_refused("t h\n", encoder({}), {"vocab.bpe", "line 1", "'th'", "encoder.json"});
  expect_refused("#version: 0.2\nt h\nx th\n", encoder({"th"}), {"line 3", "'xth'"});
  expect_refused("the re\n", encoder({"there"}), {"line 1", "'the'"});
  expect_refused("the r\n", encoder({"the", "ther"}), {"line 1", "'the'"});
}

TEST(Merges, DuplicateMerge) {
  expect_refused("t h\nh e\nt h\n", encoder({"th", "he"}), {"line 3", "'t h'", "line 1"});
}

// A merge may be listed before the merge that creates its left token.
TEST(Merges, OrderDoesNotMatterForReading) {
  const TemporaryFolder folder;
  put(folder / "vocab.bpe", "th e\nt h\n");
  put(folder / "encoder.json", encoder({"th", "the"}));
  EXPECT_EQ(load_tokenizer(folder.path())->encode("thethe"), (std::vector<int32_t>{257, 257}));
}

TEST(Merges, InvalidLines) {
  for (const std::string line : {"th", "t  h", "t h e", " t", "t ", "t h "}) {
    expect_refused("t h\n" + line + "\n", encoder({"th"}),
                   {"vocab.bpe", "line 2", fmt::format("'{}'", line).c_str()});
  }
  expect_refused("t h\n\n", encoder({"th"}), {"line 2", "''"});
}

TEST(Merges, InvalidIds) {
  for (const std::string id : {"-1", "1.5", "\"7\"", "null", "2147483647", "4294967296"}) {
    expect_refused("", encoder({}, fmt::format(", \"x y\": {}}}", id)),
                   {"encoder.json", "'x y'", id.c_str()});
  }
  expect_refused("", encoder({}, ", \"x y\": 255}"), {"encoder.json", "255"});
  expect_refused("", encoder({}, ", \"x y\": 257}"), {"'x y'", "257", "257 tokens", "0 to 256"});
  expect_refused("", encoder({}, ", \"x y\": 2147483646}"), {"'x y'", "2147483646"});
}

TEST(Merges, InvalidTokens) {
  expect_refused("", "{}", {"encoder.json"});
  expect_refused("", encoder({""}), {"encoder.json", "empty token"});
  expect_refused("", encoder({"a"}), {"encoder.json", "'a'"});
  expect_refused("", R"({"a": 0})", {"1 tokens", "0x00", "256"});
  expect_refused("", encoder({std::string(257, 'x')}), {"257", "1 to 256"});
}

TEST(Merges, InvalidJson) {
  expect_refused("", "", {"encoder.json"}, Code::damaged_file);
  expect_refused("", "[1]", {"encoder.json", "'[1]'", "object"}, Code::damaged_file);
  expect_refused("", "{\"\xff\": 1}", {"encoder.json"}, Code::damaged_file);
  expect_refused("", R"({"\ud800": 1})", {"encoder.json"}, Code::damaged_file);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  expect_refused("", "{\"a\": " + deep + "}", {"encoder.json"}, Code::damaged_file);
}

std::string rank_lines(const std::vector<std::string>& more = {}) {
  std::string lines;
  int rank = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    lines += fmt::format("{} {}\n", base64_encoded({&c, 1}), rank++);
  }
  for (const std::string& token : more) lines += fmt::format("{} {}\n", base64_encoded(token), rank++);
  return lines;
}

void expect_ranks_refused(const std::string& lines, std::initializer_list<const char*> values) {
  const TemporaryFolder folder;
  put(folder / "x.tiktoken", lines);
  expect_error(Fault::data, values, [&] { load_tokenizer(folder.path()); });
}

TEST(Ranks, ReadsAValidFile) {
  const TemporaryFolder folder;
  put(folder / "any.tiktoken", rank_lines({"ab", "abc", "zzz"}));
  const auto bpe = load_tokenizer(folder.path());
  EXPECT_EQ(bpe->encode("ab abc"), (std::vector<int32_t>{256, ' ', 257}));
  EXPECT_EQ(bpe->encode("abc"), (std::vector<int32_t>{257}));
  EXPECT_EQ(bpe->encode("zzz"), (std::vector<int32_t>{258})) << "a word that is a token, without merges";
  EXPECT_EQ(load_tokenizer(folder / "any.tiktoken")->size(), bpe->size());
}

TEST(Ranks, SpecialTokensFillGapsAndReadBack) {
  const TemporaryFolder folder;
  put(folder / "x", rank_lines() + fmt::format("{} 257\n", base64_encoded("ab")));
  const Bpe bpe(read_ranks(folder / "x", SpecialTokens({{"<end>", 256}, {"<pad>", 258}})));
  bpe.save(folder / "saved");
  const auto loaded = load_tokenizer(folder / "saved");
  EXPECT_EQ(loaded->kind(), "ranks");
  EXPECT_EQ(loaded->encode("ab<end><pad>", Specials::are_tokens), (std::vector<int32_t>{257, 256, 258}));
}

TEST(Ranks, InvalidLines) {
  for (const std::string line : {"YWI=", "YWI= x", "YWI= -1", "YWI= 2147483647", "YWI= 99999999999999999999",
                                 "YWI 256", "Y?I= 256", "YWI=  256", "=AAA 256", " 256 ", ""}) {
    expect_ranks_refused(rank_lines() + line + "\n",
                         {"x.tiktoken", "line 257", fmt::format("'{}'", line).c_str(), "base64"});
  }
  expect_ranks_refused(rank_lines() + " 256\n", {"line 257", "0 bytes", "1 to 1024"});
  expect_ranks_refused(rank_lines({std::string(1025, 'a')}), {"line 257", "1025 bytes"});
}

TEST(Ranks, InvalidRanks) {
  expect_ranks_refused("", {"x.tiktoken"});
  expect_ranks_refused(rank_lines() + "YWI= 257\n", {"'ab'", "257", "257 tokens"});
  expect_ranks_refused(rank_lines() + "YWI= 7\nYWM= 256\n", {"7", "'ab'"});
  expect_ranks_refused(rank_lines({"ab", "ab"}), {"x.tiktoken", "'ab'"});
  expect_ranks_refused("YQ== 0\n", {"0x00"});
}

TEST(Base64, RoundTrip) {
  for (const std::string bytes : {"", "f", "fo", "foo", "foob", "\xff\xfe\xfd"}) {
    EXPECT_EQ(base64_decoded(base64_encoded(bytes)), bytes);
  }
  EXPECT_EQ(base64_encoded("foob"), "Zm9vYg==");
  for (const std::string text : {"Z", "Zm9", "Zm9v=", "Z===", "====", "Zm9\n", "Zg==Zg=="}) {
    EXPECT_EQ(base64_decoded(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace locus
