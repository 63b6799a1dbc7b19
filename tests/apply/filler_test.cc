#include "locus/apply/filler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

TEST(Filler, RanksTokensLikeTransformers) {
  const Expected expected("fill");
  const Filler filler(golden_model("fill"));
  EXPECT_EQ(filler.mask(), "[MASK]");
  const std::vector<std::string> texts = texts_of(expected);
  const std::vector<std::vector<FilledMask>> found = filler.fill(texts, 4);
  size_t i = 0;
  for (const Expected::Value value : expected.cases()) {
    const std::vector<FilledMask>& masks = found[i++];
    ASSERT_EQ(masks.size(), list_of(value, "masks").size());
    size_t m = 0;
    for (const Expected::Value wanted : list_of(value, "masks")) {
      const FilledMask& mask = masks[m++];
      ASSERT_EQ(mask.best.size(), 4u);
      size_t c = 0;
      for (const Expected::Value choice : list_of(wanted)) {
        EXPECT_EQ(mask.best[c].id, static_cast<int32_t>(count_of(choice, "id")));
        EXPECT_EQ(mask.best[c].token, text_of(choice, "token"));
        EXPECT_NEAR(mask.best[c].score, number_of(choice, "score"), kNear);
        if (has(choice, "text")) {
          EXPECT_EQ(mask.texts[c], text_of(choice, "text"));
        }
        ++c;
      }
      EXPECT_EQ(mask.texts.empty(), masks.size() > 1);
    }
  }
}

TEST(Filler, ReturnsTheOffsetsOfTheMasks) {
  const std::vector<std::string> texts = {"é the [MASK] chased the [MASK]!"};
  const std::vector<FilledMask> masks = Filler(golden_model("fill")).fill(texts, 1)[0];
  for (const FilledMask& mask : masks) {
    EXPECT_EQ(texts[0].substr(mask.bytes.begin, mask.bytes.end - mask.bytes.begin), "[MASK]");
  }
  EXPECT_LT(masks[0].bytes.end, masks[1].bytes.begin);
}

TEST(Filler, TheBitsOfATextDoNotDependOnItsBatch) {
  const Filler filler(golden_model("fill"));
  const std::vector<std::string> texts = texts_of(Expected("fill"));
  const auto all = filler.fill(texts, 2);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto alone = filler.fill(std::span(texts).subspan(i, 1), 2)[0];
    for (size_t m = 0; m < alone.size(); ++m) EXPECT_EQ(alone[m].best[1].score, all[i][m].best[1].score);
  }
}

TEST(Filler, TheFolderMayNameTheMask) {
  const CopyOf folder("fill");
  put(folder / "tokenizer_config.json", R"({"mask_token": {"content": "[UNK]", "special": true}})");
  EXPECT_EQ(Filler(folder.path()).mask(), "[UNK]");
  put(folder / "tokenizer_config.json", R"({"mask_token": "<m>"})");
  expect_error(Fault::data, {"'<m>'"}, [&] { Filler filler(folder.path()); });
}

TEST(FillerFaults, ATextWithoutAMask) {
  const std::vector<std::string> texts = {"[MASK]", "a <mask>"};
  expect_error(Fault::data, {"text 2", "[MASK]"}, [&] { Filler(golden_model("fill")).fill(texts, 1); });
}

TEST(FillerFaults, AnotherHead) {
  expect_error(Fault::data, Code::wrong_head, {golden_model("embed").c_str(), "none", "masked_token"},
               [] { Filler filler(golden_model("embed")); });
}

TEST(Filler, ChoosesAmongTargets) {
  const Filler filler(golden_model("fill"));
  const std::vector<std::string> texts = {"The [MASK] sat."};
  const size_t all = static_cast<size_t>(filler.model().tokenizer().size());
  const std::vector<int32_t> targets = {5, 6, 7};
  const std::vector<Filling> chosen = filler.fill(texts, all, {}, targets).at(0).at(0).best;
  ASSERT_EQ(chosen.size(), targets.size());
  const std::vector<Filling> every = filler.fill(texts, all).at(0).at(0).best;
  std::vector<int32_t> ids;
  for (const Filling& one : every) {
    if (std::ranges::count(targets, one.id) == 0) continue;
    EXPECT_EQ(one.score, chosen[ids.size()].score) << "a probability among all tokens";
    ids.push_back(one.id);
  }
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(chosen[i].id, ids[i]);
  const std::vector<int32_t> wrong = {5, 1000};
  expect_error(Fault::data, Code::bad_token, {"1000"}, [&] { filler.fill(texts, 1, {}, wrong); });
}

}  // namespace
}  // namespace locus
