#include "locus/apply/writer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "locus/apply/token_text.h"
#include "locus/text/pipeline/pipeline.h"
#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

WriteOptions as_expected(const Writer& writer) {
  WriteOptions options = writer.defaults();
  options.max_tokens = 12;
  options.sampling.repetition_penalty = 1.3f;
  return options;
}

TEST(Writer, ContinuesLikeTransformers) {
  const Expected expected("write");
  const Writer writer(golden_model("write"));
  EXPECT_FALSE(writer.is_encoder_decoder());
  const std::vector<std::string> written = writer.write(texts_of(expected, "prompt"), as_expected(writer));
  size_t i = 0;
  for (const Expected::Value value : expected.cases()) {
    EXPECT_EQ(written[i++], text_of(value, "text")) << text_of(value, "prompt");
  }
}

TEST(Writer, TranslatesLikeTransformers) {
  const Expected expected("translate");
  const Writer writer(golden_model("translate"));
  EXPECT_TRUE(writer.is_encoder_decoder());
  WriteOptions options = writer.defaults();
  EXPECT_EQ(options.beams, 4);
  const std::vector<std::string> beam = writer.write(texts_of(expected), options);
  options.beams = 1;
  const std::vector<std::string> greedy = writer.write(texts_of(expected), options);
  size_t i = 0;
  for (const Expected::Value value : expected.cases()) {
    EXPECT_EQ(beam[i], text_of(value, "beam")) << text_of(value, "text");
    EXPECT_EQ(greedy[i++], text_of(value, "greedy")) << text_of(value, "text");
  }
}

TEST(Writer, LanguageTokensMarkTheTextAndBeginTheAnswer) {
  const Expected expected("languages");
  const Writer writer(golden_model("languages"));
  for (const Expected::Value value : expected.cases()) {
    WriteOptions options = writer.defaults();
    options.from = text_of(value, "from");
    options.to = text_of(value, "to");
    const std::vector<std::string> text = {text_of(value, "text")};
    EXPECT_EQ(writer.write(text, options)[0], text_of(value, "translation"))
        << text[0] << options.from << options.to;
  }
  WriteOptions options = writer.defaults();
  options.to = "fra_Latm";
  expect_error(Fault::data, {"'fra_Latm'", "'fra_Latn'"},
               [&] { writer.write(std::vector<std::string>{"the dog"}, options); });
}

TEST(WriterFaults, LanguagesForModelsWithoutLanguages) {
  const std::vector<std::string> text = {"the dog"};
  WriteOptions options;
  options.to = "<|endoftext|>";
  expect_error(Fault::data, {"from", "to", "'<|endoftext|>'"},
               [&] { Writer(golden_model("write")).write(text, options); });
  // Here [SEP] is not an end token, so there are two special tokens, and either could be the language.
  const TemporaryFolder folder;
  std::filesystem::copy(golden_model("translate"), folder.path(), std::filesystem::copy_options::recursive);
  put(folder / "generation_config.json", "{\"decoder_start_token_id\": 3}");
  options = {.from = "[MASK]"};
  expect_error(Fault::data, {"from is '[MASK]'", "2"}, [&] { Writer(folder.path()).write(text, options); });
}

TEST(Writer, StreamedTextIsTheResult) {
  const Writer writer(golden_model("write"));
  std::vector<std::string> prompts = texts_of(Expected("write"), "prompt"), shown(prompts.size());
  WriteOptions options = as_expected(writer);
  options.on_text = [&](size_t prompt, std::string_view text) {
    shown[prompt] += text;
    return true;
  };
  EXPECT_EQ(writer.write(prompts, options), shown);
}

TEST(Writer, TheStreamCallbackCanEndAText) {
  const Writer writer(golden_model("write"));
  const std::vector<std::string> prompts = texts_of(Expected("write"), "prompt");
  WriteOptions options = as_expected(writer);
  for (const int64_t beams : {1, 2}) {
    options.beams = beams;
    options.on_text = {};
    std::vector<std::string> ended = writer.write(prompts, options), shown(prompts.size());
    ASSERT_GT(ended[1].size(), 4U);
    options.on_text = [&](size_t prompt, std::string_view text) {
      shown[prompt] += text;
      return prompt != 1 || shown[1].size() < 3;
    };
    const std::vector<std::string> written = writer.write(prompts, options);
    EXPECT_EQ(written, shown);
    EXPECT_TRUE(ended[1].starts_with(shown[1]) && shown[1].size() < ended[1].size()) << shown[1];
    ended[1] = shown[1];
    EXPECT_EQ(written, ended) << "the others go on";
  }
}

TEST(Writer, SeveralAnswersToAPromptHaveTheirOwnSeeds) {
  const Writer writer(golden_model("write"));
  WriteOptions options = as_expected(writer);
  options.sampling.temperature = 1;
  options.max_tokens = 8;
  options.seed = 5;
  const std::vector<std::string> prompts = {"the dog", "it"};
  std::vector<std::string> alone;
  for (const std::string& prompt : prompts) {
    for (const uint64_t seed : {5, 6, 7}) {
      options.seed = seed;
      alone.push_back(writer.write(std::vector<std::string>{prompt}, options).at(0));
    }
  }
  options.seed = 5;
  options.answers = 3;
  EXPECT_EQ(writer.write(prompts, options), alone);
  EXPECT_NE(alone[0], alone[1]);
  options.answers = 0;
  expect_error(Fault::data, {"0"}, [&] { writer.write(prompts, options); });
}

TEST(Writer, PromptsMayBeTokens) {
  const Writer writer(golden_model("write"));
  WriteOptions options = as_expected(writer);
  options.max_tokens = 6;
  const std::vector<std::string> texts = {"the dog", "it"};
  std::vector<std::vector<int32_t>> ids;
  for (const std::string& text : texts) ids.push_back(writer.model().tokenizer().encode(text));
  EXPECT_EQ(writer.write_tokens(ids, options), writer.write(texts, options));
  ids[1] = {100000};
  expect_error(Fault::data, Code::bad_token, {"100000", "2"}, [&] { writer.write_tokens(ids, options); });
}

TEST(Writer, TellsWhyAnAnswerEnded) {
  const Writer writer(golden_model("write"));  // at most 48 tokens
  std::vector<StopReason> ends;
  WriteOptions options = as_expected(writer);
  options.on_finish = [&](size_t answer, const AnswerEnd& end) {
    EXPECT_EQ(answer, 0U);
    EXPECT_GE(end.written, 1);
    EXPECT_LE(end.written, options.max_tokens);
    ends.push_back(end.reason);
  };
  const auto end_of = [&](const std::string& prompt) {
    ends.clear();
    writer.write(std::vector<std::string>{prompt}, options);
    EXPECT_EQ(ends.size(), 1U);
    return ends.at(0);
  };
  for (const int64_t beams : {1, 2}) {
    options.beams = beams;
    options.stops = {};
    options.max_tokens = 2;
    EXPECT_EQ(end_of("the ball the dog"), StopReason::length);
    EXPECT_EQ(end_of(std::string(47, 'x')), StopReason::length) << "both limits together";
    EXPECT_EQ(end_of(std::string(48, 'x')), StopReason::context) << "the last token needs no position";
    options.max_tokens = 12;
    options.stops = {writer.write(std::vector<std::string>{"the ball the dog"}, options)[0].substr(1, 1)};
    EXPECT_EQ(end_of("the ball the dog"), StopReason::stop);
  }
  EXPECT_EQ(name_of(StopReason::context), "context");
}

TEST(Writer, ATextDoesNotDependOnItsBatch) {
  const Writer writer(golden_model("write"));
  const std::vector<std::string> prompts = texts_of(Expected("write"), "prompt");
  WriteOptions options = as_expected(writer);
  options.max_tokens = 100;  // past the context window, which the prompts reach at different steps
  options.sampling.temperature = 1;
  EXPECT_EQ(writer.write(prompts, options, {.batch_tokens = 1}), writer.write(prompts, options));
}

TEST(Writer, StopStringsAndEndTokensAreNotPartOfTheText) {
  const Writer writer(golden_model("write"));
  WriteOptions options = as_expected(writer);
  const std::vector<std::string> prompts = {"the ball the dog"};
  const std::string whole = writer.write(prompts, options)[0];
  options.stops = {"#("};
  EXPECT_EQ(writer.write(prompts, options)[0], whole.substr(0, whole.find("#(")));
}

TEST(Writer, AnEmptyPromptStartsWithTheStartToken) {
  const Writer writer(golden_model("write"));
  const std::vector<std::string> prompts = {""};
  WriteOptions options = as_expected(writer);
  options.max_tokens = 3;
  EXPECT_FALSE(writer.write(prompts, options)[0].empty());
}

TEST(Writer, ReadsSpecialTokensIfRequested) {
  const Writer writer(golden_model("write"));
  const std::vector<std::string> named = {"<|endoftext|>"}, begun = {""};
  WriteOptions options = as_expected(writer);
  EXPECT_NE(writer.write(named, options), writer.write(begun, options));
  options.specials = Specials::are_tokens;
  EXPECT_EQ(writer.write(named, options), writer.write(begun, options));
}

TEST(Writer, APromptThatIsTooLongIsAnErrorOrLosesItsBeginning) {
  const Writer writer(golden_model("write"));
  const std::vector<std::string> prompts = {std::string(60, 'x') + std::string(40, 'y')};
  const std::vector<std::string> end = {std::string(8, 'x') + std::string(40, 'y')};
  WriteOptions options = as_expected(writer);
  expect_error(Fault::data, Code::context_too_long, {"text 1", "100", "48"},
               [&] { writer.write(prompts, options); });
  EXPECT_EQ(writer.write(prompts, options, {.truncate = true}), writer.write(end, options));
}

TEST(Writer, WarnsOfUnsupportedSettings) {
  const CopyOf folder("write");
  put(folder / "generation_config.json",
      R"({"bos_token_id": 0, "eos_token_id": 0, "encoder_no_repeat_ngram_size": 3})");
  const Writer writer(folder.path());
  ASSERT_EQ(writer.warnings().size(), 1u);
  EXPECT_TRUE(names(writer.warnings()[0], "encoder_no_repeat_ngram_size")) << writer.warnings()[0];
}

TEST(WriterFaults, HeadsAndStartTokens) {
  expect_error(Fault::data, Code::wrong_head, {golden_model("fill").c_str(), "masked_token", "next_token"},
               [] { Writer writer(golden_model("fill")); });
  const CopyOf folder("translate");
  put(folder / "generation_config.json", R"({"eos_token_id": 3})");
  expect_error(Fault::data, {folder.path().c_str(), "decoder_start_token_id"},
               [&] { Writer writer(folder.path()); });
}

TEST(TokenText, ReturnsCharactersAsSoonAsTheyAreComplete) {
  const auto tokenizer = load_tokenizer(golden_model("write").string());
  const std::vector<int32_t> ids = tokenizer->encode("the dog é狗 dog");
  TokenText text(*tokenizer, {});
  std::string all;
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    pieces.push_back(text.add(id));
    all += pieces.back();
  }
  EXPECT_EQ(all + text.finish(), "the dog é狗 dog");
  EXPECT_EQ(std::ranges::count(pieces, "é"), 1);
  EXPECT_EQ(std::ranges::count(pieces, "狗"), 1);
}

TEST(TokenText, AnyTokensGiveTheirWholeText) {
  const auto tokenizer = load_tokenizer(golden_model("write").string());
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Random random(seed, 0);
    std::vector<int32_t> ids;
    for (uint64_t i = 0; i < 60; ++i) {
      ids.push_back(static_cast<int32_t>(random.uniform(i) * static_cast<float>(tokenizer->size())));
    }
    TokenText text(*tokenizer, {});
    std::string all;
    for (const int32_t id : ids) all += text.add(id);
    EXPECT_EQ(all + text.finish(), tokenizer->decode_text(ids)) << "seed " << seed;
  }
}

TEST(TokenText, ASpecialTokenDoesNotBeginAText) {
  const auto expect_text = [](const std::string& json, const std::vector<int32_t>& ids, const char* text) {
    const Pipeline tokenizer(read_pipeline(json, "'t.json'"));
    TokenText tokens(tokenizer, {});
    std::string all;
    for (const int32_t id : ids) all += tokens.add(id);
    EXPECT_EQ(all + tokens.finish(), text);
  };
  const std::string added = R"({"added_tokens": [{"id": 0, "content": "[X]", "special": true}], "decoder": )";
  expect_text(added + R"({"type": "Metaspace"}, "model": {"type": "Unigram", "unk_id": 0,
                          "vocab": [["[X]", 0], ["▁cat", -1], ["l", -1], ["▁", -1]]}})",
              {1, 2, 0, 0, 1, 3, 0, 1}, "catl cat  cat");
  expect_text(added + R"({"type": "WordPiece"}, "model": {"type": "WordPiece", "unk_token": "[X]",
                          "vocab": {"[X]": 0, "un": 1, "##do": 2}}})",
              {1, 0, 2, 0, 0, 1}, "undo un");
}

TEST(TokenText, AnIncompleteCharacterComesAtTheEnd) {
  const auto tokenizer = load_tokenizer(golden_model("write").string());
  std::vector<int32_t> ids = tokenizer->encode("xé");
  TokenText text(*tokenizer, {ids[0]});
  EXPECT_EQ(text.add(ids[1]), "");
  EXPECT_EQ(text.finish(), "\ufffd");
}

}  // namespace
}  // namespace locus
