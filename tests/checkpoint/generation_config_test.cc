#include "locus/checkpoint/generation_config.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

GenerationConfig of(const std::string& family, const std::string& json) {
  const FolderOf folder(family);
  put(folder / "generation_config.json", json);
  return read_generation(open_model(folder.path()));
}

TEST(GenerationConfig, WithoutAnythingTheMostLikelyToken) {
  const GenerationConfig config = of("llama", "{}");
  EXPECT_TRUE(config.end_tokens.empty());
  EXPECT_EQ(config.start_token, -1);
  EXPECT_EQ(config.max_tokens, 0);
  EXPECT_EQ(config.max_length, 0);
  EXPECT_EQ(config.sampling.temperature, 0);
  EXPECT_EQ(config.beams, 0);
  EXPECT_TRUE(config.unsupported.empty());
}

TEST(GenerationConfig, ReadsTokensAloneAndInLists) {
  EXPECT_EQ(of("llama", R"({"eos_token_id": 2})").end_tokens, std::vector<int32_t>{2});
  EXPECT_EQ(of("llama", R"({"eos_token_id": [2, 7]})").end_tokens, (std::vector<int32_t>{2, 7}));
  const std::string starts = R"({"bos_token_id": 3, "decoder_start_token_id": 5})";
  EXPECT_EQ(of("llama", starts).start_token, 3);
  EXPECT_EQ(of("bart", starts).start_token, 5);
  EXPECT_TRUE(of("llama", R"({"eos_token_id": -1})").end_tokens.empty());
  expect_bad_data({"generation_config.json", "eos_token_id.1", "29", "-1", "28"},
                  [] { of("llama", R"({"eos_token_id": [2, 29]})"); });
  expect_bad_data({"generation_config.json", "bos_token_id", "-4", "-1", "28"},
                  [] { of("llama", R"({"bos_token_id": -4})"); });
}

TEST(GenerationConfig, SamplesOnlyWithDoSample) {
  const GenerationConfig greedy = of("llama", R"({"temperature": 0.6, "top_p": 0.9})");
  EXPECT_EQ(greedy.sampling.temperature, 0);
  const GenerationConfig sampled =
      of("llama", R"({"do_sample": true, "temperature": 0.6, "top_p": 0.9, "repetition_penalty": 1.1})");
  EXPECT_EQ(sampled.sampling.temperature, 0.6f);
  EXPECT_EQ(sampled.sampling.top_p, 0.9f);
  EXPECT_EQ(sampled.sampling.top_k, 50);  // as transformers
  EXPECT_EQ(sampled.sampling.repetition_penalty, 1.1f);
  expect_bad_data({"top_p", "1.5", "0", "1"}, [] { of("llama", R"({"do_sample": true, "top_p": 1.5})"); });
}

TEST(GenerationConfig, ReadsLengthsAndBeams) {
  const GenerationConfig config =
      of("bart", R"({"max_length": 62, "max_new_tokens": 9, "num_beams": 4, "length_penalty": 0.8})");
  EXPECT_EQ(config.max_length, 62);
  EXPECT_EQ(config.max_tokens, 9);
  EXPECT_EQ(config.beams, 4);
  EXPECT_EQ(config.length_penalty, 0.8f);
  EXPECT_FALSE(config.stops_early);
  EXPECT_TRUE(of("bart", R"({"early_stopping": true})").stops_early);
}

TEST(GenerationConfig, ReadsWhatMustAndMustNotBeWritten) {
  const GenerationConfig config = of("bart", R"({"forced_bos_token_id": 4, "forced_eos_token_id": 2,
                                                 "bad_words_ids": [[1], [9], [5]], "suppress_tokens": [7],
                                                 "eos_token_id": 9})");
  EXPECT_EQ(config.rules.first, 4);
  EXPECT_EQ(config.rules.last, 2);
  EXPECT_EQ(config.rules.banned, (std::vector<int32_t>{7, 1, 5}));
  EXPECT_TRUE(config.unsupported.empty());
  expect_bad_data({"forced_bos_token_id", "29", "-1", "28"},
                  [] { of("bart", R"({"forced_bos_token_id": 29})"); });
}

TEST(GenerationConfig, ReadsWhatMustNotComeTwiceOrTooEarly) {
  const TokenRules shortest =
      of("bart", R"({"no_repeat_ngram_size": 3, "min_length": 56, "eos_token_id": 2})").rules;
  EXPECT_EQ(shortest.no_repeat_ngram, 3u);
  EXPECT_EQ(shortest.min_length, 56);
  EXPECT_EQ(shortest.ends, std::vector<int32_t>{2});
  const TokenRules fresh = of("bart", R"({"min_length": 56, "min_new_tokens": 7})").rules;
  EXPECT_EQ(fresh.min_length, 0) << "as transformers";
  EXPECT_EQ(fresh.min_new_tokens, 7);
}

TEST(GenerationConfig, NamesUnsupportedSettings) {
  using Names = std::vector<std::string>;
  const std::string forced = R"({"forced_bos_token_id": 4, "forced_eos_token_id": [2, 3]})";
  EXPECT_EQ(of("bart", forced).unsupported, (Names{"forced_eos_token_id"}))
      << "only one forced token is supported";
  const GenerationConfig decoder = of("llama", forced);
  EXPECT_EQ(decoder.unsupported, (Names{"forced_bos_token_id", "forced_eos_token_id"}));
  EXPECT_EQ(decoder.rules.first, -1);
  EXPECT_EQ(of("llama", R"({"typical_p": 0.9})").unsupported, Names()) << "nothing is sampled";
  EXPECT_EQ(of("llama", R"({"typical_p": 0.9, "do_sample": true})").unsupported, (Names{"typical_p"}));
  EXPECT_EQ(of("bart", R"({"encoder_no_repeat_ngram_size": 3, "min_length": 0, "typical_p": 1.0,
                           "bad_words_ids": [[1], [2, 3], [4, 5]]})")
                .unsupported,
            (Names{"bad_words_ids with several tokens", "encoder_no_repeat_ngram_size"}));
  EXPECT_EQ(of("bart", R"({"stop_strings": "x", "exponential_decay_length_penalty": [5, 1.1],
                           "do_sample": true, "epsilon_cutoff": 3e-4, "eta_cutoff": 0.0})")
                .unsupported,
            (Names{"exponential_decay_length_penalty", "stop_strings", "epsilon_cutoff"}));
  EXPECT_EQ(of("llama", R"({"guidance_scale": 3, "penalty_alpha": 0.6, "watermarking_config": {"bias": 2.5},
                            "num_beam_groups": 1, "diversity_penalty": 0.0, "top_h": 0.4})")
                .unsupported,
            (Names{"watermarking_config", "guidance_scale", "penalty_alpha"}));
  EXPECT_EQ(of("bart", R"({"num_beams": 2, "do_sample": true, "early_stopping": "never",
                           "renormalize_logits": true, "stop_strings": []})")
                .unsupported,
            (Names{"do_sample with num_beams (beam search runs without sampling)", "early_stopping never",
                   "renormalize_logits"}));
}

TEST(GenerationConfig, ComesFromConfigJsonIfItsFileIsMissing) {
  const FolderOf folder("llama");
  folder.change("\"eos_token_id\": 2", "\"eos_token_id\": 11");
  EXPECT_EQ(read_generation(open_model(folder.path())).end_tokens, std::vector<int32_t>{11});
}

}  // namespace
}  // namespace locus
