#include "locus/apply/tagger.h"

#include <gtest/gtest.h>

#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

// Byte offsets as code point offsets, which transformers uses.
TextSpan counted(const std::string& text, TextSpan bytes) {
  std::vector<TextSpan> spans = {bytes};
  count_in_code_points(text, spans);
  return spans[0];
}

TEST(Tagger, JoinsSpansLikeTransformers) {
  const Expected expected("tag");
  const std::vector<std::string> texts = texts_of(expected);
  const std::vector<std::vector<TaggedSpan>> found = Tagger(golden_model("tag")).tag(texts);
  size_t i = 0;
  for (const Expected::Value value : expected.cases()) {
    const std::vector<TaggedSpan>& spans = found[i];
    ASSERT_EQ(spans.size(), list_of(value, "spans").size()) << texts[i];
    size_t s = 0;
    for (const Expected::Value wanted : list_of(value, "spans")) {
      EXPECT_EQ(spans[s].label, text_of(wanted, "label")) << texts[i];
      EXPECT_NEAR(spans[s].score, number_of(wanted, "score"), kNear);
      EXPECT_EQ(counted(texts[i], spans[s].bytes),
                (TextSpan{count_of(wanted, "start"), count_of(wanted, "end")}));
      ++s;
    }
    ++i;
  }
}

TEST(Tagger, AggregatesLikeTransformers) {
  const std::pair<const char*, Aggregation> kinds[] = {{"none", Aggregation::none},
                                                       {"first", Aggregation::first},
                                                       {"average", Aggregation::average},
                                                       {"max", Aggregation::max}};
  const Tagger tagger(golden_model("tag"));
  const Expected expected("tag");
  for (const auto& [name, aggregation] : kinds) {
    for (const Expected::Value value : expected.cases()) {
      const std::vector<std::string> texts = {text_of(value, "text")};
      if (texts[0].empty()) continue;
      const std::vector<TaggedSpan> spans = tagger.tag(texts, {}, aggregation).at(0);
      ASSERT_EQ(spans.size(), list_of(value, name).size()) << name << ": " << texts[0];
      size_t s = 0;
      for (const Expected::Value wanted : list_of(value, name)) {
        const bool none = aggregation == Aggregation::none;
        EXPECT_EQ(spans[s].label, text_of(wanted, none ? "entity" : "entity_group")) << texts[0];
        EXPECT_NEAR(spans[s].score, number_of(wanted, "score"), kNear);
        EXPECT_EQ(counted(texts[0], spans[s].bytes),
                  (TextSpan{count_of(wanted, "start"), count_of(wanted, "end")}))
            << name << ": " << texts[0];
        if (none) {
          EXPECT_EQ(spans[s].index, count_of(wanted, "index"));
        }
        ++s;
      }
    }
  }
}

// The text before the first dash is not part of the label. Only B and I mark the beginning of a span.
TEST(Tagger, OtherPrefixesOfLabelsAreRemovedAsWell) {
  const CopyOf folder("tag");
  std::string config = read_file(folder / "config.json");
  put(folder / "config.json", config.replace(config.find("\"MISC\""), 6, "\"S-X-Y\""));
  const std::vector<std::string> texts = texts_of(Expected("tag"));
  const auto before = Tagger(golden_model("tag")).tag(texts), after = Tagger(folder.path()).tag(texts);
  int renamed = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(before[i].size(), after[i].size());
    for (size_t s = 0; s < before[i].size(); ++s) {
      if (before[i][s].label != "MISC") continue;
      EXPECT_EQ(after[i][s].label, "X-Y");
      ++renamed;
    }
  }
  EXPECT_GT(renamed, 0);
}

TEST(Tagger, TheSpansOfATextDoNotDependOnItsBatch) {
  const Tagger tagger(golden_model("tag"));
  const std::vector<std::string> texts = texts_of(Expected("tag"));
  const auto all = tagger.tag(texts), small = tagger.tag(texts, {.batch_tokens = 1});
  for (size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(all[i].size(), small[i].size());
    for (size_t s = 0; s < all[i].size(); ++s) EXPECT_EQ(all[i][s].score, small[i][s].score);
  }
}

TEST(Tagger, ATextThatIsTooLongIsAnErrorOrTruncated) {
  const Tagger tagger(golden_model("tag"));
  const std::vector<std::string> texts = {std::string(60, '.')};
  expect_error(Fault::data, Code::context_too_long, {"text 1", "62", "40"}, [&] { tagger.tag(texts); });
  const std::vector<std::vector<TaggedSpan>> cut = tagger.tag(texts, {.truncate = true});
  for (const TaggedSpan& span : cut[0]) EXPECT_LE(span.bytes.end, 38u);
}

TEST(TaggerFaults, AnotherHead) {
  expect_error(Fault::data, Code::wrong_head,
               {golden_model("classify").c_str(), "sequence_class", "token_class"},
               [] { Tagger tagger(golden_model("classify")); });
}

}  // namespace
}  // namespace locus
