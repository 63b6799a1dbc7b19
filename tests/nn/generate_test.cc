#include "locus/nn/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/expect_error.h"

namespace locus::testing {
namespace {

Blueprint small(ModelKind kind) {
  Blueprint b;
  b.kind = kind;
  b.vocabulary = 7;
  b.width = 16;
  b.attention.heads = 2;
  b.layers = 1;
  b.max_length = 32;
  b.init_std = 0.6f;
  b.scheme = "sinusoidal";
  return b;
}

TEST(Sampling, TemperatureZeroTakesTheLargestAndTheFirstOfEquals) {
  const std::vector<float> logits = {1, 3, 3, 2};
  EXPECT_EQ(sample(logits, {}, {}, Random(0, 0)), 1);
}

TEST(Sampling, ThePenaltyHitsWhatOccurred) {
  const std::vector<float> logits = {2, 3, -1};
  const std::vector<int32_t> history = {1, 1};
  Sampling sampling{.repetition_penalty = 2};
  EXPECT_EQ(sample(logits, history, sampling, Random(0, 0)), 0);
}

// How often each token occurs in many samples.
std::map<int32_t, int> draw(const std::vector<float>& logits, const Sampling& sampling) {
  std::map<int32_t, int> counts;
  for (uint64_t seed = 0; seed < 4000; ++seed) ++counts[sample(logits, {}, sampling, Random(seed, 0))];
  return counts;
}

TEST(Sampling, DrawsFollowTheProbabilities) {
  const std::vector<float> logits = {std::log(0.5f), std::log(0.3f), std::log(0.2f)};
  const auto counts = draw(logits, {.temperature = 1});
  // 4000 samples: the standard deviation is at most 32.
  EXPECT_NEAR(counts.at(0), 2000, 130);
  EXPECT_NEAR(counts.at(1), 1200, 130);
  EXPECT_NEAR(counts.at(2), 800, 130);
}

TEST(Sampling, LimitsKeepTheLikeliest) {
  const std::vector<float> logits = {std::log(0.1f), std::log(0.6f), std::log(0.3f)};
  EXPECT_EQ(draw(logits, {.temperature = 1, .top_k = 1}).size(), 1u);
  EXPECT_EQ(draw(logits, {.temperature = 1, .top_p = 0.5f}).size(), 1u);
  EXPECT_EQ(draw(logits, {.temperature = 1, .top_p = 0.65f}).size(), 2u);
  EXPECT_EQ(draw(logits, {.temperature = 1, .min_p = 0.4f}).size(), 2u);
  EXPECT_EQ(draw(logits, {.temperature = 1, .top_p = 0}).size(), 1u);
}

TEST(Sampling, NearlyNoTemperatureTakesTheLargest) {
  const std::vector<float> logits = {10, 5, 20, 1};
  EXPECT_EQ(draw(logits, {.temperature = 1e-38f}), (std::map<int32_t, int>{{2, 4000}}));
}

TEST(Sampling, NaNIsRefused) {
  expect_error(Fault::data, {"sampling", "NaN"}, [] {
    sample(std::vector<float>{1, NAN}, {}, {}, Random(0, 0));
  });
  expect_error(Fault::data, {"sampling", "rules"}, [] {
    sample(std::vector<float>{-INFINITY, -INFINITY}, {}, {}, Random(0, 0));
  });
}

TEST(Beam, WeightsThatAreNoNumbersAreRefused) {
  const Model model(small(ModelKind::decoder), {.seed = 2});
  model.parameters().all()[0].var.value().data<float>()[0] = NAN;
  expect_error(Fault::data, {"sampling", "NaN"}, [&] {
    beam_search(model, {0, 1}, {.beams = 3, .max_tokens = 4});
  });
}

TEST(Generate, EndsWithAnEndTokenOrWhenOnTokenReturnsFalse) {
  const Model model(small(ModelKind::decoder), {.seed = 2});
  GenerateOptions options;
  options.max_tokens = 20;
  options.sampling.temperature = 1;
  const std::vector<int32_t> free = generate(model, {{1, 2}}, options)[0];
  ASSERT_EQ(free.size(), 20u);
  options.end_tokens = {free[3]};
  const std::vector<int32_t> ended = generate(model, {{1, 2}}, options)[0];
  EXPECT_LE(ended.size(), 4u);
  EXPECT_EQ(ended.back(), free[3]);
  options.end_tokens.clear();
  int calls = 0;
  const OnToken six = [&](int64_t, int32_t) { return ++calls < 6; };
  EXPECT_EQ(generate(model, {{1, 2}}, options, {}, six)[0],
            std::vector<int32_t>(free.begin(), free.begin() + 6));
}

// log probability of a continuation, by full passes.
double log_probability(const Model& model, const std::vector<int32_t>& text, std::vector<int32_t> prompt,
                       const std::vector<int32_t>& answer) {
  const NoGrad scope;
  double total = 0;
  for (const int32_t token : answer) {
    const Tensor logits =
        model(tokens_of({text}, model.blueprint()), tokens_of({prompt}, model.blueprint())).value();
    total += log_probabilities(logits.rows(logits.size(0) - 1, logits.size(0)).data<float>())[token];
    prompt.push_back(token);
  }
  return total;
}

TEST(Generate, AWideBeamFindsTheMostLikelyAnswer) {
  const Model model(small(ModelKind::encoder_decoder), {.seed = 7});
  const std::vector<int32_t> text = {1, 5, 3}, prompt = {0};
  const std::vector<int32_t> found = beam_search(model, prompt, {.beams = 49, .max_tokens = 3}, text);
  ASSERT_EQ(found.size(), 3u);
  double best = -1e30;
  for (int32_t a = 0; a < 7; ++a) {
    for (int32_t b = 0; b < 7; ++b) {
      for (int32_t c = 0; c < 7; ++c) best = std::max(best, log_probability(model, text, prompt, {a, b, c}));
    }
  }
  EXPECT_NEAR(log_probability(model, text, prompt, found), best, 1e-4);
  const std::vector<int32_t> greedy = beam_search(model, prompt, {.beams = 1, .max_tokens = 3}, text);
  GenerateOptions options;
  options.max_tokens = 3;
  EXPECT_EQ(greedy, generate(model, {prompt}, options, {text})[0]);
}

TEST(Generate, RulesSayWhatMustAndMustNotBeWritten) {
  const Model model(small(ModelKind::encoder_decoder), {.seed = 7});
  GenerateOptions free = {.max_tokens = 6};
  const std::vector<int32_t> unconstrained = generate(model, {{0}}, free, {{1, 5, 3}})[0];
  GenerateOptions ruled = free;
  ruled.rules = {.banned = {unconstrained[1]}, .first = 6, .last = 2};
  BeamOptions beam = {.beams = 3, .max_tokens = 6, .rules = ruled.rules};
  for (const std::vector<int32_t>& written :
       {generate(model, {{0}}, ruled, {{1, 5, 3}})[0], beam_search(model, {0}, beam, {1, 5, 3})}) {
    ASSERT_EQ(written.size(), 6u);
    EXPECT_EQ(written.front(), 6);
    EXPECT_EQ(written.back(), 2);
    EXPECT_EQ(std::count(written.begin() + 1, written.end() - 1, unconstrained[1]), 0);
  }
}

bool comes_twice(const std::vector<int32_t>& tokens, size_t run) {
  std::set<std::vector<int32_t>> seen;
  for (size_t i = 0; i + run <= tokens.size(); ++i) {
    if (!seen.insert({tokens.begin() + i, tokens.begin() + i + run}).second) return true;
  }
  return false;
}

TEST(Generate, RulesSayWhatMustNotComeTwiceOrTooEarly) {
  const Model model(small(ModelKind::decoder), {.seed = 2});
  const auto written = [&](const TokenRules& rules, int64_t tokens) {
    const GenerateOptions plain = {.max_tokens = tokens, .end_tokens = rules.ends, .rules = rules};
    const BeamOptions beam = {
        .beams = 3, .max_tokens = tokens, .stops_early = true, .end_tokens = rules.ends, .rules = rules};
    return std::vector{generate(model, {{1, 2}}, plain)[0], beam_search(model, {1, 2}, beam)};
  };
  EXPECT_TRUE(comes_twice(written({}, 20)[0], 2));
  for (const std::vector<int32_t>& tokens : written({.no_repeat_ngram = 2}, 20)) {
    EXPECT_FALSE(comes_twice(tokens, 2));
  }
  const std::vector<int32_t> ends = {0, 1, 2, 3, 4};
  for (const std::vector<int32_t>& tokens : written({.ends = ends}, 20)) EXPECT_LT(tokens.size(), 5u);
  for (const std::vector<int32_t>& tokens : written({.ends = ends, .min_new_tokens = 4}, 20)) {
    EXPECT_GE(tokens.size(), 5u);
  }
  for (const std::vector<int32_t>& tokens : written({.ends = ends, .min_length = 6}, 20)) {
    EXPECT_GE(tokens.size(), 5u) << "with the prompt's two";
  }
}

TEST(Beam, ThePenaltyHitsWhatOccurred) {
  const Model model(small(ModelKind::decoder), {.seed = 2});
  BeamOptions options = {.beams = 3, .max_tokens = 6};
  EXPECT_TRUE(comes_twice(beam_search(model, {1}, options), 1));
  options.repetition_penalty = 1000;
  std::vector<int32_t> all = beam_search(model, {1}, options);
  all.push_back(1);
  EXPECT_FALSE(comes_twice(all, 1));
}

// A token that the rules exclude never counts as an end, however few continuations remain.
TEST(Beam, WritesNothingThatIsRuledOut) {
  const Model model(small(ModelKind::decoder), {.seed = 2});
  BeamOptions options = {.beams = 4, .max_tokens = 3, .stops_early = true, .end_tokens = {1}};
  options.rules.banned = {0, 1, 2, 3};
  const std::vector<int32_t> written = beam_search(model, {4}, options);
  EXPECT_EQ(written.size(), 3u);
  EXPECT_TRUE(std::ranges::all_of(written, [](int32_t token) { return token > 3; }));
  options.rules.banned = {0, 1, 2, 3, 4, 5, 6};
  expect_error(Fault::data, {"beam_search", "rules"}, [&] { beam_search(model, {4}, options); });
}

TEST(Generate, LogitsOfManyBeamsThatDoNotFitAreAnError) {
  check_beam_memory(1024, 1 << 18, 1 << 30);
  expect_error(Fault::resource, {"1024", "262144", "1.1"},
               [] { check_beam_memory(1024, 1 << 18, (1 << 30) - 1); });
}

// Under this penalty an open beam is better than any that ended before.
TEST(Beam, OpenOnesCountAtTheLengthLimitUnlessTheSearchStopsEarly) {
  const Model model(small(ModelKind::decoder), {.seed = 29});
  BeamOptions options = {.beams = 2, .max_tokens = 6, .length_penalty = 20, .end_tokens = {1, 2}};
  EXPECT_EQ(beam_search(model, {0}, options).size(), 6u);
  options.stops_early = true;
  EXPECT_EQ(beam_search(model, {0}, options).size(), 3u);
}

TEST(Generate, BadInputIsNamed) {
  const Model decoder(small(ModelKind::decoder)), both(small(ModelKind::encoder_decoder));
  expect_error(Fault::data, {"generate", "prompt 1"}, [&] { generate(decoder, {{1}, {}}, {}); });
  expect_error(Fault::data, {"generate", "decoder-only"}, [&] { generate(decoder, {{1}}, {}, {{2}}); });
  expect_error(Fault::data, {"generate", "encoder-decoder"}, [&] { generate(both, {{1}}, {}); });
  expect_error(Fault::data, {"prompt 0", "7", "6"}, [&] { generate(decoder, {{7}}, {}); });
  for (const TokenRules& rules :
       {TokenRules{.banned = {7}}, TokenRules{.first = 7}, TokenRules{.last = 7}, TokenRules{.ends = {7}}}) {
    expect_error(Fault::data, Code::bad_token, {"7", "0", "6"},
                 [&] { generate(decoder, {{1}}, {.max_tokens = 1, .rules = rules}); });
    expect_error(Fault::data, Code::bad_token, {"7", "0", "6"},
                 [&] { beam_search(decoder, {1}, {.beams = 1, .max_tokens = 1, .rules = rules}); });
  }
  GenerateOptions wild{.max_tokens = 1};
  wild.sampling.temperature = std::nanf("");
  expect_error(Fault::usage, {"generate", "temperature", "'nan'"}, [&] { generate(decoder, {{1}}, wild); });
  wild.sampling = {.repetition_penalty = 0};
  expect_error(Fault::usage, {"generate", "repetition_penalty", "'0'"},
               [&] { generate(decoder, {{1}}, wild); });
}

}  // namespace
}  // namespace locus::testing
