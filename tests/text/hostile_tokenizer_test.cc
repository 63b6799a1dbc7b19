// Tokenizer files that ask for unbounded work or memory. Every case is an error, or takes time and memory in
// proportion to the text.
#include <gtest/gtest.h>

#include <cstring>
#include <ctime>

#include "locus/text/pipeline/marian.h"
#include "locus/text/pipeline/pipeline.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

const std::string kLetters = R"("model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##a": 2}}})";

Pipeline hostile(const std::string& parts) {
  return Pipeline(read_pipeline("{" + parts + ", " + kLetters, "'t.json'"));
}

std::string repeated(const std::string& item, int times, const char* between = ", ") {
  std::string all = item;
  for (int i = 1; i < times; ++i) all += between + item;
  return all;
}

std::string replacing(const std::string& from, const std::string& to) {
  return R"({"type": "Replace", "pattern": {"String": ")" + from + R"("}, "content": ")" + to + "\"}";
}

std::string splitting(const std::string& expression) {
  return R"({"type": "Split", "behavior": "Isolated", "pattern": {"Regex": ")" + expression + "\"}}";
}

TEST(HostileTokenizer, DecoderOfAnEmptyMark) {
  expect_error(Fault::data, {"'t.json'", "'tokenizer.decoder.replacement'", "one character"},
               [] { hostile(R"("decoder": {"type": "Metaspace", "replacement": ""})"); });
}

TEST(HostileTokenizer, DecoderThatMultipliesEveryToken) {
  const auto tenfold = [](int times) {
    return hostile(R"("decoder": {"type": "Sequence", "decoders": [)" +
                   repeated(replacing("a", "aaaaaaaaaa"), times) + "]}");
  };
  EXPECT_EQ(tenfold(3).decode(std::vector<int32_t>{1}), std::string(1000, 'a'));
  expect_error(Fault::data, {"'tokenizer.decoder.decoders[5]'", "1100000", "1048640"},
               [&] { tenfold(40).decode(std::vector<int32_t>{1}); });
}

TEST(HostileTokenizer, DecoderThatAddsSpacesManyTimes) {
  const Pipeline words = hostile(R"("decoder": {"type": "Sequence", "decoders": [)" +
                                 repeated(R"({"type": "WordPiece", "cleanup": false})", 200) + "]}");
  EXPECT_EQ(words.decode(std::vector<int32_t>{1, 1}), "a" + std::string(200, ' ') + "a");
  expect_error(Fault::data, {"'tokenizer.decoder'", "10000"},
               [&] { words.decode(std::vector<int32_t>(10'000, 1)); });
}

Pipeline framed(const std::string& single, const std::string& ids) {
  return hostile(R"("post_processor": {"type": "TemplateProcessing", "pair": [], "single": [)" + single +
                 R"(], "special_tokens": {"x": {"id": "x", "ids": [)" + ids + "]}}}");
}

TEST(HostileTokenizer, TemplateOfManySteps) {
  const std::string text = R"({"Sequence": {"id": "A", "type_id": 0}})";
  EXPECT_EQ(framed(repeated(text, 64), "1").encoding("a").ids, std::vector<int32_t>(64, 1));
  for (const int steps : {65, 100'000}) {
    expect_error(Fault::data, {"'tokenizer.post_processor.single'", std::to_string(steps).c_str(), "64"},
                 [&] { framed(repeated(text, steps), "1"); });
  }
}

TEST(HostileTokenizer, TemplateOfManySpecialTokens) {
  const std::string special = R"({"SpecialToken": {"id": "x", "type_id": 0}})";
  EXPECT_EQ(framed(special, repeated("1", 1024)).frame_size(false), 1024U);
  expect_error(Fault::data, {"'tokenizer.post_processor.single'", "1025", "1024"},
               [&] { framed(special, repeated("1", 1025)); });
  expect_error(Fault::data, {"'tokenizer.post_processor.single'", "1200", "1024"},
               [&] { framed(repeated(special, 64), repeated("1", 400)); });
}

TEST(HostileTokenizer, TemplateThatSearchesManyNames) {
  std::string names = R"("n": {"id": "n", "ids": [1]})";
  for (int i = 0; i < 200'000; ++i) names += fmt::format(R"(, "n{}": {{"id": "n", "ids": [1]}})", i);
  const std::string last = R"({"SpecialToken": {"id": "n199999", "type_id": 0}})";
  const Pipeline searched =
      hostile(R"("post_processor": {"type": "TemplateProcessing", "pair": [], "single": [)" +
              repeated(last, 64) + R"(], "special_tokens": {)" + names + "}}");
  EXPECT_EQ(searched.frame_size(false), 64U);
}

// A character map with the rule "a" -> `word`.
std::string map_of(const std::string& word) {
  constexpr uint32_t kRoot = 256, kLeaf = 512, kNode = kRoot ^ 'a';
  std::vector<uint32_t> units(kLeaf + 1);
  units[0] = kRoot << 10;
  units[kNode] = (kNode ^ kLeaf) << 10 | 1U << 8 | 'a';
  const auto size = static_cast<uint32_t>(units.size() * sizeof(uint32_t));
  std::string bytes(sizeof(size) + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  std::memcpy(bytes.data() + sizeof(size), units.data(), size);
  return bytes + word + '\0';
}

std::string base64_of(const std::string& bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) {
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[three >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

TEST(HostileTokenizer, CharacterMapThatWritesLongReplacements) {
  const std::string map = map_of(std::string(100'000, 'x'));
  const Pipeline letters =
      hostile(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": ")" + base64_of(map) + "\"}");
  EXPECT_EQ(letters.encode("aaaaa").size(), 1U);
  expect_error(Fault::data, {"'tokenizer.normalizer'", "400"},
               [&] { letters.encode(std::string(400, 'a')); });
  SentencePieceModel model;
  model.charsmap = map;
  const auto normalizer = sentencepiece_normalizer(model, "'source.spm'");
  const std::string text(400, 'a');
  AlignedText aligned(text, 0, text.size());
  expect_error(Fault::data, {"'source.spm'", "400"}, [&] { normalizer->apply(aligned); });
}

// The steps that a pattern takes are counted over the whole text, in all of its words.
TEST(HostileTokenizer, PatternThatBacktracksAtEveryCharacter) {
  const Pipeline nested = hostile(R"("pre_tokenizer": )" + splitting("(?:a+)+b|."));
  const std::string period = std::string(19, 'a') + "c";
  EXPECT_EQ(nested.encode(period).size(), 20U);
  expect_error(Fault::data, {"'(?:a+)+b|.'", "43794432", "40000"},
               [&] { nested.encode(repeated(period, 2000, "")); });
}

TEST(HostileTokenizer, PatternThatBacktracksInEveryWord) {
  const Pipeline nested = hostile(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "WhitespaceSplit"}, )" +
                                  splitting("(?:a+)+b|.") + "]}");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("{}{} ", std::string(19, 'a'), i);
  expect_error(Fault::data, {"'(?:a+)+b|.'"}, [&] { nested.encode(text); });
}

// A loop that cannot backtrack takes no steps, and reads the whole run from each of its places.
TEST(HostileTokenizer, PatternThatReadsARunFromEveryPlace) {
  const std::string run(200'000, 'a');
  for (const char* const expression : {"a+[bc]|.", "a++b|.", "(?>a+)b|.", "a+(?!a)b|."}) {
    const Pipeline greedy = hostile(R"("pre_tokenizer": )" + splitting(expression));
    EXPECT_EQ(greedy.encode(run.substr(0, 1000)).size(), 1000U);
    expect_error(Fault::data, {expression, "200000"}, [&] { greedy.encode(run); });
  }
}

// Matches of all lengths around the window that a place may read without taking steps.
TEST(HostileTokenizer, PatternWhoseMatchesAreLong) {
  const Pipeline words = hostile(R"("pre_tokenizer": )" + splitting(R"(\\w+(?=\\s|$)|\\s+)"));
  for (const char* const letter : {"x", "\xc3\xa9", "\xe7\x8b\x97"}) {
    std::vector<TextSpan> expected;
    std::string text;
    const auto add = [&](const std::string& word) {
      const auto begin = static_cast<uint32_t>(text.size());
      expected.push_back({begin, static_cast<uint32_t>((text += word).size())});
    };
    for (const int length : {1, 170, 171, 255, 256, 257, 510, 511, 512, 513, 2047, 2048, 2049, 9000}) {
      add(repeated(letter, length, ""));
      add(std::string(static_cast<size_t>(length), ' '));
    }
    EXPECT_EQ(words.encoding(text, {.unit = OffsetUnit::bytes}).offsets, expected) << letter;
  }
}

// Long matches take more steps than short ones, and are found.
TEST(HostileTokenizer, PatternThatNeedsManyStepsForAReason) {
  const auto cut = [](const std::string& expression, const std::string& text) {
    return hostile(R"("pre_tokenizer": )" + splitting(expression)).encoding(text).offsets.size();
  };
  EXPECT_EQ(cut(R"((?=(\\d{3})+(?!\\d)))", std::string(3000, '7')), 1000U);
  EXPECT_EQ(cut(R"(\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)",
                "a" + std::string(5000, ' ') + "a" + std::string(500, ' ') + "\n"),
            5U);
  EXPECT_EQ(cut("(?:x|y)*z", "a" + std::string(2000, 'x') + "a" + std::string(1000, 'y') + "z"), 2U);
}

TEST(HostileTokenizer, NormalizerThatGrowsManyChunks) {
  const Pipeline growing = hostile(R"("normalizer": )" + replacing("a", std::string(100'000, 'x')) +
                                   R"(, "pre_tokenizer": {"type": "WhitespaceSplit"})");
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("a{} ", i);
  expect_error(Fault::data, {"'tokenizer.normalizer'", std::to_string(text.size()).c_str()},
               [&] { growing.encode(text); });
  expect_error(Fault::data, {"'tokenizer.normalizer'"}, [&] { growing.encoding(text); });
}

TEST(HostileTokenizer, PreTokenizersThatPrependManyMarks) {
  std::string steps;
  for (int i = 0; i < 100; ++i) {
    steps += fmt::format(R"({}{{"type": "Metaspace", "replacement": "\u{:04x}"}})", i == 0 ? "" : ", ",
                         0x4e00 + i);
  }
  const Pipeline marking = hostile(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "WhitespaceSplit"}, )" +
                                   steps + "]}");
  EXPECT_GT(marking.encoding("a").size(), 0U);
  expect_error(Fault::data, {"'tokenizer.pre_tokenizer'", "20000"},
               [&] { marking.encoding(repeated("a ", 10'000, "")); });
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Quadratic time would be minutes.
TEST(HostileTokenizer, AddedTokenThatTakesTheBlanksAroundIt) {
  const Pipeline blanks = hostile(
      R"("added_tokens": [{"id": 3, "content": " ", "lstrip": true, "rstrip": true, "normalized": false},
      {"id": 4, "content": "\t", "rstrip": true, "normalized": false}])");
  constexpr size_t kBlanks = 400'000;
  for (const std::string unit : {" ", " \t", "\t\t "}) {
    const std::string text = repeated(unit, static_cast<int>(kBlanks / unit.size()), "") + "a";
    const double start = cpu_seconds();
    const Encoding found = blanks.encoding(text);
    EXPECT_LT(cpu_seconds() - start, 10);
    EXPECT_EQ(found.offsets.front(), (TextSpan{0, static_cast<uint32_t>(text.size() - 1)}));
  }
}

}  // namespace
}  // namespace locus
