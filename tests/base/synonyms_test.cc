// The names that other libraries use lead to the names here.
#include "locus/base/synonyms.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "locus/base/spelling.h"

namespace locus {
namespace {

TEST(Synonyms, AreWrittenPlainly) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Synonym& synonym : synonyms()) {
    for (const std::string_view name : {synonym.elsewhere, synonym.here}) {
      EXPECT_FALSE(name.empty());
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_."), std::string_view::npos)
          << name;
    }
    EXPECT_NE(synonym.elsewhere, synonym.here);
    EXPECT_TRUE(seen.emplace(synonym.elsewhere, synonym.here).second) << synonym.elsewhere;
  }
}

// In each list, every word leads to the name in front.
TEST(Synonyms, LeadToTheNamesHere) {
  const std::map<std::string_view, std::vector<std::string_view>> words = {
      {"learning_rate", {"lr", "LR", "rate", "learning-rate", "Learning_Rate", "learning_rat", "max_lr"}},
      {"steps", {"epochs", "num_train_epochs", "max_steps", "max_iters", "iterations"}},
      {"micro_batches",
       {"gradient_accumulation", "gradient_accumulation_steps", "grad_accum", "accumulate_grad_batches"}},
      {"recompute", {"gradient_checkpointing", "activation_checkpointing"}},
      {"weight_decay", {"wd", "decay", "weight-decay"}},
      {"batch_size", {"batch", "bs", "per_device_train_batch_size"}},
      {"context", {"max_seq_length", "seq_len", "block_size", "context_length"}},
      {"eval_every", {"eval_steps", "eval_interval"}},
      {"save_every", {"save_steps"}},
      {"clip", {"max_grad_norm", "grad_clip", "gradient_clip_val"}},
      {"warmup", {"warmup_ratio", "warmup_steps", "num_warmup_steps"}},
      {"schedule", {"scheduler", "lr_scheduler_type"}},
      {"mask_rate", {"mlm_probability"}},
      {"dropout", {"dropout_rate", "hidden_dropout_prob", "resid_pdrop"}}};
  std::vector<std::string_view> names;
  for (const auto& [name, others] : words) names.push_back(name);
  for (const auto& [name, others] : words) {
    for (const std::string_view word : others) EXPECT_EQ(nearest(word, names), name) << word;
  }
}

TEST(Synonyms, LeadToTheOptionsAndCommandsHere) {
  constexpr std::string_view kOptions[] = {"--help",  "--temperature", "--top-k",
                                           "--top-p", "--max-tokens",  "--beams"};
  EXPECT_EQ(nearest("--temp", kOptions), "--temperature");
  EXPECT_EQ(nearest("--max-new-tokens", kOptions), "--max-tokens");
  EXPECT_EQ(nearest("--max_new_tokens", kOptions), "--max-tokens");
  EXPECT_EQ(nearest("--num_beams", kOptions), "--beams");
  EXPECT_EQ(nearest("--top_p", kOptions), "--top-p");
  constexpr std::string_view kCommands[] = {"train",    "embed",   "generate",
                                            "classify", "schemes", "similarity"};
  EXPECT_EQ(nearest("finetune", kCommands), "train");
  EXPECT_EQ(nearest("fine-tune", kCommands), "train");
  EXPECT_EQ(nearest("encode", kCommands), "embed");
  EXPECT_EQ(nearest("chat", kCommands), "generate");
  EXPECT_EQ(nearest("predict", kCommands), "classify");
  EXPECT_EQ(nearest("list", kCommands), "schemes");
  EXPECT_EQ(nearest("search", kCommands), "similarity");
}

TEST(Synonyms, SayHowValuesDiffer) {
  constexpr std::string_view kNames[] = {"steps", "warmup"};
  EXPECT_EQ(did_you_mean("epochs", kNames), "did you mean 'steps'? steps = epochs x samples / batch_size");
  EXPECT_EQ(did_you_mean("warmup_ratio", kNames), "did you mean 'warmup'? in steps: ratio x steps");
  EXPECT_EQ(did_you_mean("warmup_steps", kNames), "did you mean 'warmup'?");
}

TEST(Spelling, TheOnlyWordWithThisBeginning) {
  constexpr std::string_view kNames[] = {"--help", "--input-format", "--batch-tokens", "--beams"};
  EXPECT_EQ(nearest("--input", kNames), "--input-format");
  EXPECT_EQ(nearest("--batch", kNames), "--batch-tokens");
  EXPECT_EQ(nearest("--b", kNames), "");
}

}  // namespace
}  // namespace locus
