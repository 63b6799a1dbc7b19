// The language model of a user's text, over bytes or tokens.
#include <gtest/gtest.h>

#include <cmath>

#include "locus/base/file.h"
#include "locus/study/memory.h"
#include "locus/study/summary.h"
#include "locus/text/bpe.h"
#include "tests/expect_error.h"
#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

class TextTask : public ::testing::Test {
 protected:
  TextTask() {
    for (int i = 0; text_.size() < 4000; ++i) text_ += i % 3 == 0 ? "to be or not, " : "t\u00f6 be \u2014 ";
    write_file(file_, text_);
  }
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "t.txt";
  std::string text_;
};

TEST_F(TextTask, BytesAreTheTokensByDefault) {
  const Task task = text_task(file_, "bytes");
  EXPECT_EQ(task.vocabulary, 256);
  EXPECT_EQ(task.text->training_tokens + task.text->test_tokens, std::ssize(text_));
  EXPECT_DOUBLE_EQ(bits_per_byte(task, 8), 3);
}

TEST_F(TextTask, ALearnedTokenizerSeesTheTrainingPartOnly) {
  const std::string with_secret = text_ + "zyxwvzyxwvzyxwvzyxwv";
  write_file(file_, with_secret);
  const Task task = text_task(file_, "learn:270");
  EXPECT_EQ(task.vocabulary, 270);
  EXPECT_TRUE(task.text->exact);
  EXPECT_LT(task.text->training_tokens, std::ssize(text_) / 2);
  write_file(file_, text_ + "abcdeabcdeabcdeabcde");
  const Task other = text_task(file_, "learn:270");
  const auto training = [](const Task& one) { return one.make(20, Random(1, 2 * 7)).ids; };
  EXPECT_EQ(training(task), training(other));
  EXPECT_NE(task.text->identity, other.text->identity);
}

// Perplexities differ between tokenizers; the bits of the same bytes do not, if all tokens are equally
// likely.
TEST_F(TextTask, BitsPerByteCountTheBytesOfTheTestPart) {
  const Task task = text_task(file_, "learn:270");
  const size_t test_bytes = text_.size() - text_.size() / 10 * 9;
  const double all_bits = std::log2(270.0) * static_cast<double>(task.text->test_tokens);
  EXPECT_NEAR(bits_per_byte(task, 270) * static_cast<double>(test_bytes), all_bits, 0.01 * all_bits);
  EXPECT_GT(task.text->bytes_per_token, 2);
}

TEST_F(TextTask, ASavedTokenizerIsOpened) {
  std::vector<std::string> bytes;
  for (int i = 0; i < 256; ++i) bytes.emplace_back(1, static_cast<char>(i));
  bytes.emplace_back("be");
  Bpe({.tokens = bytes, .merges = {{'b', 'e', 256, 0}}, .specials = {}}).save(folder_ / "tok");
  const Task task = text_task(file_, (folder_ / "tok").string());
  EXPECT_EQ(task.vocabulary, 257);
  EXPECT_TRUE(task.text->exact);
}

TEST_F(TextTask, BadTokenizersAreNamed) {
  for (const char* name : {"learn:", "learn:255", "learn:x", "learn:-1"}) {
    expect_error(Fault::usage, {name, "256"}, [&] { text_task(file_, name); });
  }
  expect_error(Fault::io, {"/nowhere/at/all"}, [&] { text_task(file_, "/nowhere/at/all"); });
  Study study = tiny();
  study.tokenizer = "learn:300";
  expect_error(Fault::usage, {"tokenizer", "'learn:300'"}, [&] { check(study); });
}

TEST_F(TextTask, AStudyOfTokensHasBitsPerByteInItsResults) {
  Study study = tiny();
  study.tasks = "";
  study.schemes = "none";
  study.seeds = 1;
  study.text = file_.string();
  study.tokenizer = "learn:300";
  const std::vector<Cell> cells = run(study, folder_ / "study", {});
  const double value = cells[0].rows[0].scores[0].value;
  const Task& task = *study.task_list().front();
  EXPECT_NE(results_csv(study, cells).find(fmt::format("{},{}\n", value, bits_per_byte(task, value))),
            std::string::npos);
  EXPECT_NE(results_json(study, summarize(study, cells)).find("\"bits_per_byte\": "), std::string::npos);
}

TEST_F(TextTask, MemoryCountsTheVocabulary) {
  Study study = tiny();
  study.text = file_.string();
  study.tasks = "";
  study.schemes = "rotary";
  study.conditions.lengths = "64";
  EXPECT_LT(largest_need(study).bytes, 50'000'000);
  // 4096 tokens of a test have 4096 x vocabulary logits.
  std::vector<std::string> tokens;
  for (int i = 0; i < 256; ++i) tokens.emplace_back(1, static_cast<char>(i));
  for (int i = 256; i < 20000; ++i) tokens.push_back(fmt::format("token {}", i));
  Bpe({.tokens = tokens, .merges = {}, .specials = {}}).save(folder_ / "large");
  Study large = tiny();
  large.text = file_.string();
  large.tasks = "";
  large.schemes = "rotary";
  large.conditions.lengths = "64";
  large.tokenizer = (folder_ / "large").string();
  EXPECT_GT(largest_need(large).bytes, int64_t{4096} * 20000 * 4);
  expect_error(Fault::resource, {"rotary"}, [&] { require_memory(large, 100'000'000); });
}

}  // namespace
}  // namespace locus::study
