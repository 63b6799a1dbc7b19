#include "locus/text/open_tokens.h"

#include <gtest/gtest.h>

#include "locus/text/byte_vocabulary.h"
#include "locus/text/character_vocabulary.h"
#include "locus/text/token_file.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

TEST(OpenTokens, TextsAndTokenFiles) {
  const TemporaryFolder folder;
  const ByteVocabulary bytes;
  put(folder / "text", "ab\nc");
  const auto text = open_tokens(folder / "text", bytes);
  TokenFileWriter writer(folder / "tokens", bytes.size());
  writer.write(bytes.encode("ab\nc"));
  writer.commit();
  const auto tokens = open_tokens(folder / "tokens", bytes);
  for (const auto& stream : {text, tokens}) {
    ASSERT_EQ(stream->size(), 4);
    EXPECT_EQ(stream->vocabulary(), 256);
    std::vector<int32_t> ids(4);
    stream->read(0, ids);
    EXPECT_EQ(ids, (std::vector<int32_t>{'a', 'b', '\n', 'c'}));
  }
  EXPECT_EQ(open_tokens(folder / "tokens", ByteVocabulary({"<mask>"}))->size(), 4)
      << "special ones came later";
  expect_error(Fault::data, {(folder / "tokens").c_str(), "256", "2"}, [&] {
    open_tokens(folder / "tokens", CharacterVocabulary({"a", "b"}, {}));
  });
}

TEST(OpenTokens, AFileNamedTokensMustBeATokenFile) {
  const TemporaryFolder folder;
  for (const char* text : {"", "LOCUSTOX and some more"}) {
    put(folder / "x.tokens", text);
    expect_error(Fault::data, Code::damaged_file, {"x.tokens"},
                 [&] { open_tokens(folder / "x.tokens", ByteVocabulary()); });
  }
}

TEST(OpenTokens, AnEmptyTextHasNoTokens) {
  const TemporaryFolder folder;
  put(folder / "text", "");
  EXPECT_EQ(open_tokens(folder / "text", ByteVocabulary())->size(), 0);
}

}  // namespace
}  // namespace locus
