#include "locus/text/text_frame.h"

#include <gtest/gtest.h>

#include "locus/run/run_settings.h"
#include "locus/run/task_frame.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/train/text_samples.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

const auto kBytes = std::make_shared<ByteVocabulary>(std::vector<std::string>{"<s>", "</s>"});
const auto kBare = std::make_shared<ByteVocabulary>();
const std::shared_ptr<const Tokenizer> kBert = load_tokenizer(golden_text("bert"));

TextTask task_of(HeadKind head, std::shared_ptr<const Tokenizer> tokenizer,
                 ModelKind kind = ModelKind::encoder) {
  TextTask task{.tokenizer = std::move(tokenizer)};
  task.blueprint.kind = kind;
  task.blueprint.head.kind = head;
  return task;
}

std::string framed(const TextTask& task, const TextInput& input, size_t longest = 100) {
  return task.tokenizer->decode(frame_of(task).read(input, *task.tokenizer, {.longest = longest}).ids);
}

TEST(TextFrame, OfModelsTrainedFromScratch) {
  EXPECT_EQ(framed(task_of(HeadKind::sequence_class, kBytes), {"abc"}), "<s>abc");
  EXPECT_EQ(framed(task_of(HeadKind::token_class, kBare), {"abc"}), "abc") << "no <s>";
  EXPECT_EQ(framed(task_of(HeadKind::sequence_class, kBytes), {"ab", "c"}), "<s>ab</s>c");
  EXPECT_EQ(framed(task_of(HeadKind::answer, kBytes), {"a?", "bc"}), "<s>a?</s>bc");
  const TextTask pairs = task_of(HeadKind::next_token, kBytes, ModelKind::encoder_decoder);
  EXPECT_EQ(framed(pairs, {"abc"}), "abc</s>");
  EXPECT_EQ(end_token(pairs), 257);
  EXPECT_EQ(framed(task_of(HeadKind::masked_token, kBytes), {"abc"}), "abc") << "as in windows";
  expect_error(Fault::data, {"'<s>'"}, [] { frame_of(task_of(HeadKind::answer, kBare)); });
  expect_error(Fault::data, {"</s>"}, [] { framed(task_of(HeadKind::sequence_class, kBare), {"ab", "c"}); });
}

TEST(TextFrame, APairOfTextsHasTwoSegments) {
  TextTask task = task_of(HeadKind::sequence_class, kBert);
  task.blueprint.embedding.segments = 2;
  const Sample sample = labeled_sample({"the", "dog", 1}, task);
  EXPECT_EQ(task.tokenizer->decode(sample.ids), "[CLS] the [SEP] dog [SEP]");
  EXPECT_EQ(sample.segments, (std::vector<int32_t>{0, 0, 0, 1, 1, 1}));  // dog is two tokens
  EXPECT_EQ(sample.targets, std::vector<int32_t>{1});
  task.blueprint.embedding.segments = 0;
  EXPECT_TRUE(labeled_sample({"the", "dog", 1}, task).segments.empty());
}

TEST(TextFrame, SpecialTokensOfTheTokenizerComeFirst) {
  EXPECT_EQ(framed(task_of(HeadKind::sequence_class, kBert), {"the dog"}), "[CLS] the dog [SEP]");
  EXPECT_EQ(framed(task_of(HeadKind::answer, kBert), {"the", "dog"}), "[CLS] the [SEP] dog [SEP]");
  EXPECT_EQ(framed(task_of(HeadKind::masked_token, kBert), {"the dog"}), "[CLS] the dog [SEP]")
      << "as in windows";
  const WindowFrame encoder = window_frame_of(task_of(HeadKind::masked_token, kBert));
  EXPECT_EQ(kBert->decode(encoder.before), "[CLS]");
  EXPECT_EQ(kBert->decode(encoder.after), "[SEP]");
  const WindowFrame decoder = window_frame_of(task_of(HeadKind::next_token, kBert, ModelKind::decoder));
  EXPECT_EQ(decoder.before, encoder.before);
  EXPECT_EQ(decoder.after, std::vector<int32_t>()) << "a decoder continues the text";
  EXPECT_EQ(window_frame_of(task_of(HeadKind::masked_token, kBytes)).size(), 0) << "it adds none";
}

// The exported folder has only the tokenizer: names such as <s> must not matter.
TEST(TextFrame, OfHuggingFaceModelsComesFromTheTokenizerAlone) {
  TextTask task = task_of(HeadKind::sequence_class, kBytes);
  task.data.framing = Framing::tokenizer;
  EXPECT_EQ(framed(task, {"abc"}), "abc");
  task.blueprint.kind = ModelKind::encoder_decoder;
  expect_error(Fault::data, {"tokenizer"}, [&] { end_token(task); });
}

TEST(TextFrame, TruncationKeepsSpecialTokens) {
  EXPECT_EQ(framed(task_of(HeadKind::answer, kBytes), {"a?", "bcdef"}, 6), "<s>a?</s>bc");
  EXPECT_EQ(framed(task_of(HeadKind::answer, kBytes), {"a?", "bcdef"}, 1), "<s></s>")
      << "special tokens are never cut";
  EXPECT_EQ(framed(task_of(HeadKind::sequence_class, kBytes), {"abc"}, 3), "<s>ab");
  EXPECT_EQ(framed(task_of(HeadKind::sequence_class, kBert), {"the dog"}, 3), "[CLS] the [SEP]");
}

TEST(TextFrame, WordsBeginInTokens) {
  Encoding encoding;
  encoding.push(1, {}, 0, Encoding::kNoText);
  encoding.push(7, {0, 3}, 0, 0);
  encoding.push(8, {3, 9}, 0, 0);  // two words begin in this token
  encoding.push(1, {}, 0, Encoding::kNoText);
  const std::vector<TextSpan> words = {{0, 3}, {4, 6}, {7, 9}, {10, 12}};
  using Tokens = std::vector<std::optional<size_t>>;
  EXPECT_EQ(word_tokens(encoding, words), (Tokens{1, 2, 2, {}})) << "the last word was truncated";
  encoding.push(9, {13, 15}, 0, 0);
  const std::vector<TextSpan> passed_over = {{0, 3}, {10, 12}, {13, 15}};
  EXPECT_EQ(word_tokens(encoding, passed_over), (Tokens{1, {}, 4})) << "no word has another's token";
}

// In Marian, each language has its own model, with ids of one shared vocabulary.
TEST(TextFrame, TargetsHaveTheirOwnModel) {
  TextTask task =
      task_of(HeadKind::next_token, load_tokenizer(golden_text("marian")), ModelKind::encoder_decoder);
  task.data.framing = Framing::tokenizer;
  task.data.start_token = 126;
  const Tokenizer& tokenizer = *task.tokenizer;
  const Sample sample = pair_sample({.source = "They're learned", .target = "They're learned"}, task);
  EXPECT_EQ(sample.text, tokenizer.encoding("They're learned").ids);
  EXPECT_EQ(sample.targets, tokenizer.targets().encoding("They're learned").ids);
  EXPECT_NE(sample.text, sample.targets);
  EXPECT_EQ(sample.ids.front(), 126);
  EXPECT_EQ(end_token(task), 0);
  EXPECT_EQ(sample.targets.back(), 0);
}

}  // namespace
}  // namespace locus
