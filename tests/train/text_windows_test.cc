#include "locus/train/text_windows.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "locus/run/task_frame.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/tokenizer_json.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

constexpr int32_t kBefore = 256, kAfter = 257;

std::shared_ptr<const TokenStream> counting(int64_t size) {
  std::vector<int32_t> ids(static_cast<size_t>(size));
  std::iota(ids.begin(), ids.end(), 0);
  return std::make_shared<MemoryTokens>(std::move(ids), 100'000, "text");
}

TextTask next_token_task() { return {}; }

// A tokenizer that puts a token before a text and one after it.
std::shared_ptr<const Tokenizer> framing_tokenizer() {
  const TemporaryFolder folder(in_memory());
  save_for_hub(ByteVocabulary({"<a>", "<b>", "<mask>"}), {.start = kBefore, .end = kAfter}, folder.path());
  return load_tokenizer(folder.path());
}

TextTask masked_task() {
  TextTask task;
  task.blueprint.kind = ModelKind::encoder;
  task.blueprint.head.kind = HeadKind::masked_token;
  task.blueprint.vocabulary = 100'000;
  task.tokenizer = std::make_shared<ByteVocabulary>(std::vector<std::string>{"<mask>"});
  return task;
}

const std::shared_ptr<const Tokenizer> kFraming = framing_tokenizer();

TEST(TextWindows, EveryTokenButTheFirstIsATargetOnceAtAnyLength) {
  EXPECT_TRUE(rc::check([] {
    const int64_t tokens = *rc::gen::inRange<int64_t>(2, 90);
    TextTask task = next_token_task();
    if (*rc::gen::arbitrary<bool>()) task.tokenizer = kFraming;
    const int64_t room = *rc::gen::inRange<int64_t>(1, tokens);
    const int64_t stride = *rc::gen::inRange<int64_t>(1, room + 1);
    const int64_t length = room + window_frame_of(task).size();
    const TextWindows windows(task, counting(tokens), length, stride);
    int64_t next = 1;  // the targets come in the order of the text
    for (int64_t i = 0; i < windows.size(); ++i) {
      const Sample sample = windows.at(i, 0);
      RC_ASSERT(std::ssize(sample.ids) == windows.length(i));
      RC_ASSERT(windows.length(i) == length || i + 1 == windows.size());
      RC_ASSERT(sample.targets.size() == sample.ids.size());
      for (size_t j = 0; j < sample.ids.size(); ++j) {
        if (sample.targets[j] == kernel::kIgnoredTarget) continue;
        RC_ASSERT(sample.targets[j] == next++);
        RC_ASSERT(sample.ids[j] == sample.targets[j] - 1);
      }
    }
    RC_ASSERT(next == tokens);
  }));
}

TEST(TextWindows, TheFrameIsPartOfTheLengthAndNoTarget) {
  TextTask task = masked_task();
  task.tokenizer = kFraming;
  const TextWindows windows(task, counting(10), 6);
  ASSERT_EQ(windows.size(), 3);
  for (int64_t i = 0; i < 3; ++i) {
    const Sample sample = windows.at(i, 0);
    EXPECT_EQ(sample.ids.front(), kBefore);
    EXPECT_EQ(sample.ids.back(), kAfter);
    EXPECT_EQ(std::ssize(sample.ids), i < 2 ? 6 : 4);
    EXPECT_EQ(sample.targets.front(), kernel::kIgnoredTarget);
    EXPECT_EQ(sample.targets.back(), kernel::kIgnoredTarget);
  }
  EXPECT_EQ(TextWindows::longest(task, 10), 12);
  EXPECT_EQ(TextWindows::longest(next_token_task(), 10), 9);
}

// The inputs and targets of all windows, one after the other.
std::pair<std::vector<int32_t>, std::vector<int32_t>> joined(const TextWindows& windows) {
  std::pair<std::vector<int32_t>, std::vector<int32_t>> all;
  for (int64_t i = 0; i < windows.size(); ++i) {
    const Sample sample = windows.at(i, 0);
    all.first.insert(all.first.end(), sample.ids.begin(), sample.ids.end());
    all.second.insert(all.second.end(), sample.targets.begin(), sample.targets.end());
  }
  return all;
}

TEST(TextWindows, AllLengthsHaveTheSameMasks) {
  const auto text = counting(1500);
  const auto whole = joined(TextWindows(masked_task(), text, 1500));
  const auto masks = std::ranges::count_if(whole.second, [](int32_t t) { return t >= 0; });
  EXPECT_GT(masks, 150);
  EXPECT_LT(masks, 300);
  for (const int64_t length : {1, 7, 512, 1000}) {
    EXPECT_EQ(joined(TextWindows(masked_task(), text, length)), whole) << length;
  }
  TextTask other = masked_task();
  other.seed = 7;
  EXPECT_NE(joined(TextWindows(other, text, 512)), whole);
}

TEST(TextWindows, BadLengthsAreErrors) {
  TextTask framed = next_token_task();
  framed.tokenizer = kFraming;
  expect_error(Fault::data, {"1"}, [&] { TextWindows(framed, counting(10), 1); });
  expect_error(Fault::data, {"text", "10", "11"}, [&] { TextWindows(next_token_task(), counting(10), 10); });
  expect_error(Fault::data, {"text", "10", "12"}, [&] { TextWindows(framed, counting(10), 12); });
  expect_error(Fault::data, {"9", "8"}, [&] { TextWindows(framed, counting(20), 9, 9); });
  expect_error(Fault::data, {"-1"}, [&] { TextWindows(framed, counting(20), 9, -1); });
}

}  // namespace
}  // namespace locus
