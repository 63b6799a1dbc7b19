// Decoding with a KV cache equals a full forward pass, for every scheme, and generation does not depend on
// the other sequences of the batch.
#include "locus/nn/cache.h"

#include <gtest/gtest.h>

#include "locus/nn/decoder.h"
#include "locus/nn/generate.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

using Sequences = std::vector<std::vector<int32_t>>;

Blueprint small(std::string_view scheme, ModelKind kind = ModelKind::decoder) {
  Blueprint b;
  b.kind = kind;
  b.vocabulary = 19;
  b.width = 24;
  b.attention.heads = 4;
  b.attention.key_heads = 2;
  b.max_length = 32;
  b.scheme = scheme;
  b.init_std = 0.4f;  // wide enough that tokens and positions matter
  if (scheme == "deberta" || scheme == "shaw" || scheme == "transformer_xl") b.attention.key_heads.reset();
  return b;
}

std::vector<int32_t> text(int64_t length, uint64_t stream) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < length; ++i) {
    ids.push_back(static_cast<int32_t>(Random(1, stream).below(static_cast<uint64_t>(i), 19)));
  }
  return ids;
}

Decoder decoder_of(const Model& model, int64_t sequences) {
  Decoder decoder(model);
  for (int64_t i = 0; i < sequences; ++i) decoder.add();
  return decoder;
}

// Logits after the last token of every sequence, computed in one pass.
std::vector<float> full_pass(const Model& model, const Sequences& sequences) {
  return decoder_of(model, std::ssize(sequences)).step(sequences).values();
}

// Above the first layer, all cached values were computed with the table of a shorter text.
TEST(Decoder, TablesThatChangeWithTheLengthGiveTheFullPass) {
  const OptionValues dynamic = {{"scaling", "dynamic"}, {"factor", "2"}, {"original_length", "8"}};
  const OptionValues longrope = {{"scaling", "longrope"},
                                 {"original_length", "8"},
                                 {"short_factor", "1, 1, 1"},
                                 {"long_factor", "1, 2, 4"}};
  for (const OptionValues& options : {dynamic, longrope}) {
    Blueprint b = small("rotary");
    b.layers = 3;
    b.scheme_options = options;
    const Model model(b, {.seed = 3});
    Sequences whole = {text(5, 1), text(3, 2)}, fresh = whole;
    Decoder decoder = decoder_of(model, 2);
    for (int32_t token = 0; token < 12; ++token) {
      EXPECT_EQ(decoder.step(fresh).values(), full_pass(model, whole)) << options.at("scaling") << token;
      fresh = {{token}, {token + 1}};
      for (size_t i = 0; i < 2; ++i) whole[i].push_back(fresh[i][0]);
      if (token == 6) {  // swapped from here on
        decoder.select(std::vector<int64_t>{1, 0});
        std::swap(whole[0], whole[1]);
        std::swap(fresh[0], fresh[1]);
      }
    }
  }
}

class EveryScheme : public ::testing::TestWithParam<const SchemeInfo*> {};
INSTANTIATE_TEST_SUITE_P(Cache, EveryScheme, ::testing::ValuesIn(schemes().begin(), schemes().end()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST_P(EveryScheme, TokenByTokenAndInChunksIsTheFullPass) {
  const Model model(small(GetParam()->name), {.seed = 3});
  const Sequences whole = {text(13, 1), text(6, 2)};
  const std::vector<float> wanted = full_pass(model, whole);
  for (const size_t chunk : {1u, 4u}) {
    Decoder decoder = decoder_of(model, 2);
    // The second sequence is the shorter one: it gets its tokens with the last chunks of the first.
    Tensor logits;
    for (size_t at = 0; at < 13; at += chunk) {
      Sequences fresh(2);
      for (size_t i = at; i < std::min<size_t>(at + chunk, 13); ++i) {
        fresh[0].push_back(whole[0][i]);
        if (i >= 7) fresh[1].push_back(whole[1][i - 7]);
      }
      if (fresh[1].empty()) continue;
      if (at > 0 && !logits) {  // everything the first sequence had before
        fresh[0].assign(whole[0].begin(),
                        whole[0].begin() + static_cast<int64_t>(std::min<size_t>(at + chunk, 13)));
      }
      logits = decoder.step(fresh);
    }
    EXPECT_EQ(logits.values(), wanted) << "chunks of " << chunk;
  }
}

TEST_P(EveryScheme, APromptAloneAndInABatchGivesTheSameTokens) {
  const Model model(small(GetParam()->name), {.seed = 4});
  GenerateOptions options;
  options.max_tokens = 9;
  options.sampling.temperature = 0.8f;
  options.seed = 11;
  const Sequences prompts = {text(5, 3), text(1, 4), text(9, 5)};
  const Sequences together = generate(model, prompts, options);
  for (size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(generate(model, {prompts[i]}, options)[0], together[i]) << "prompt " << i;
  }
}

TEST(Cache, SelectedSequencesGoOnAsIfAlone) {
  const Model model(small("rotary"), {.seed = 5});
  Decoder decoder = decoder_of(model, 3);
  decoder.step({text(4, 1), text(7, 2), text(2, 3)});
  const std::vector<int64_t> kept = {2, 0, 2};
  decoder.select(kept);
  const std::vector<float> got = decoder.step({{1}, {2}, {3}}).values();
  Sequences wanted = {text(2, 3), text(4, 1), text(2, 3)};
  for (size_t i = 0; i < 3; ++i) wanted[i].push_back(static_cast<int32_t>(i + 1));
  EXPECT_EQ(got, full_pass(model, wanted));
}

// The second step fails in the head or is taken back; either way the next one continues after the first.
TEST(Decoder, AStepThatIsTakenBackLeavesNoTrace) {
  const OptionValues dynamic = {{"scaling", "dynamic"}, {"factor", "2"}, {"original_length", "8"}};
  for (const OptionValues& options : {OptionValues(), dynamic}) {
    Blueprint b = small("rotary");
    b.scheme_options = options;
    const Model model(b, {.seed = 5});
    Decoder decoder = decoder_of(model, 2);
    decoder.step({text(7, 1), text(4, 2)});
    decoder.step({text(5, 3), text(1, 4)});
    decoder.undo();
    expect_error(Fault::data, {"embed", "19"}, [&] { decoder.step({{1}, {19}}); });
    expect_error(Fault::data, {"generate", "sequence 1"}, [&] { decoder.step({{1}, {}}); });
    Sequences wanted = {text(7, 1), text(4, 2)};
    for (Sequences::value_type& sequence : wanted) sequence.push_back(3);
    EXPECT_EQ(decoder.step({{3}, {3}}).values(), full_pass(model, wanted));
  }
}

TEST(Decoder, SequencesJoinAndLeaveBetweenSteps) {
  const Model model(small("alibi"), {.seed = 5});
  Decoder decoder = decoder_of(model, 1);
  decoder.step({text(90, 1)});
  decoder.add();
  decoder.step({{5}, text(30, 2)});
  decoder.select(std::vector<int64_t>{1});
  decoder.add();
  Sequences wanted = {text(30, 2), text(3, 3)};
  wanted[0].push_back(4);
  EXPECT_EQ(decoder.step({{4}, text(3, 3)}).values(), full_pass(model, wanted));
  expect_error(Fault::data, {"generate", "2", "0", "1"}, [&] { decoder.select(std::vector<int64_t>{0, 2}); });
}

TEST(Cache, AnotherNumberOfSequencesIsRefused) {
  const Model model(small("none"), {.seed = 5});
  Decoder decoder = decoder_of(model, 2);
  decoder.step({{1}, {2}});
  expect_error(Fault::data, {"generate", "3", "2"}, [&] { decoder.step({{1}, {2}, {3}}); });
}

}  // namespace
}  // namespace locus::testing
