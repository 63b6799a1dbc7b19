// Writer on chats: special tokens are those of the template only.
#include <gtest/gtest.h>

#include "locus/apply/writer.h"
#include "locus/text/marked_text.h"
#include "tests/apply/expected.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

TEST(ChatWriter, SpecialTokensAreThoseOfTheTemplate) {
  const Writer writer(golden_model("write"));
  WriteOptions options = writer.defaults();
  options.max_tokens = 6;
  const std::vector<std::string> texts = {"<|endoftext|>The dog", "It <|endoftext|>"};
  for (const Origin origin : {Origin::model, Origin::user}) {
    options.specials = origin == Origin::user ? Specials::are_text : Specials::are_tokens;
    const auto chat = [&](size_t i) { return MarkedText(texts[i], origin); };
    EXPECT_EQ(writer.write_chats(texts.size(), chat, options), writer.write(texts, options));
  }
}

TEST(ChatWriter, RefusesWhatCannotChat) {
  const auto chat = [](size_t) { return MarkedText("a"); };
  const auto too_long = [](size_t) { return MarkedText(std::string(60, 'x')); };
  const Writer writer(golden_model("write"));
  expect_error(Fault::data, Code::context_too_long, {"60", "48"},
               [&] { writer.write_chats(1, too_long, writer.defaults()); });
  expect_error(Fault::data, {"truncate"},
               [&] { writer.write_chats(1, chat, writer.defaults(), {.truncate = true}); });
  const Writer translator(golden_model("translate"));
  expect_error(Fault::data, Code::wrong_head, {"encoder-decoder"},
               [&] { translator.write_chats(1, chat, translator.defaults()); });
}

}  // namespace
}  // namespace locus
