// Sequences that join and leave a generation at random moments get the tokens that they get alone.
#include "locus/nn/generation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "locus/nn/generate.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

using Ids = std::vector<int32_t>;

Blueprint tiny(std::string_view scheme, ModelKind kind = ModelKind::decoder) {
  Blueprint b;
  b.kind = kind;
  b.vocabulary = 17;
  b.width = 24;
  b.attention.heads = 4;
  if (scheme != "deberta" && scheme != "shaw" && scheme != "transformer_xl") b.attention.key_heads = 2;
  b.max_length = 48;
  b.scheme = scheme;
  b.init_std = 0.4f;  // wide enough that tokens and positions matter
  return b;
}

Ids drawn_ids(int least, int most) {
  return *rc::gen::resize(most, rc::gen::container<Ids>(static_cast<size_t>(*rc::gen::inRange(least, most)),
                                                        rc::gen::inRange<int32_t>(0, 17)));
}

struct Request {
  Ids prompt, text, written;
  GenerateOptions options;
};

Request drawn_request(const Model& model) {
  Request request;
  request.prompt = drawn_ids(1, 12);
  if (model.blueprint().kind == ModelKind::encoder_decoder) request.text = drawn_ids(1, 9);
  request.options.max_tokens = *rc::gen::inRange<int64_t>(1, 14);
  request.options.end_tokens = {*rc::gen::inRange<int32_t>(0, 17)};
  request.options.sampling.temperature = *rc::gen::element(0.0f, 1.0f);
  request.options.seed = *rc::gen::inRange<uint64_t>(0, 5);
  return request;
}

// Runs a random schedule; a sequence that was removed early has the beginning of what it would have had.
void check_schedule(const Model& model) {
  Generation generation(model);
  std::map<int64_t, Request> requests;
  for (int moment = *rc::gen::inRange(1, 16); moment > 0 || !generation.empty(); --moment) {
    for (int joins = moment > 0 ? *rc::gen::inRange(0, 3) : 0; joins > 0; --joins) {
      const Request request = drawn_request(model);
      requests[generation.add(request.prompt, request.options, request.text)] = request;
    }
    for (const GeneratedToken& token : generation.step()) {
      requests.at(token.id).written.push_back(token.token);
    }
    if (!requests.empty() && *rc::gen::inRange(0, 4) == 0) {
      generation.remove(*rc::gen::inRange<int64_t>(0, std::ssize(requests)));
    }
  }
  for (const auto& [id, request] : requests) {
    const std::vector<Ids> texts = request.text.empty() ? std::vector<Ids>() : std::vector<Ids>{request.text};
    Ids alone = generate(model, {request.prompt}, request.options, texts)[0];
    RC_ASSERT(alone.size() >= request.written.size());
    alone.resize(request.written.size());
    RC_ASSERT(alone == request.written);
  }
}

RC_GTEST_PROP(Generation, SequencesOfEverySchemeJoinAndLeave, ()) {
  const auto all = schemes();
  const auto index = static_cast<size_t>(*rc::gen::inRange<int64_t>(0, std::ssize(all)));
  check_schedule(Model(tiny(all[index]->name), {.seed = 3}));
}

RC_GTEST_PROP(Generation, SequencesOfOtherModelsJoinAndLeave, ()) {
  Blueprint windowed = tiny("rotary"), dynamic = tiny("rotary"), frozen = tiny("t5");
  windowed.layers = 3;
  windowed.attention.window = 4;
  windowed.global.every = 2;
  windowed.global.scheme = "alibi";
  dynamic.layers = 3;  // tables that change with the length
  dynamic.scheme_options = {{"scaling", "dynamic"}, {"factor", "2"}, {"original_length", "6"}};
  const Blueprint answering = tiny("learned", ModelKind::encoder_decoder);
  const Blueprint biased = tiny("t5", ModelKind::encoder_decoder);
  Model model(*rc::gen::element(windowed, dynamic, frozen, answering, biased), {.seed = 5});
  if (*rc::gen::arbitrary<bool>()) model.parameters().freeze("");  // tables are cached
  check_schedule(model);
}

TEST(Generation, SaysWhyASequenceEnded) {
  Blueprint b = tiny("learned");
  b.max_length = 6;
  const Model model(b, {.seed = 3});
  Generation generation(model);
  const Ids first = generate(model, {{1, 2}}, {.max_tokens = 1})[0];
  EXPECT_EQ(generation.add({1, 2}, {.end_tokens = first}), 0);
  EXPECT_EQ(generation.add({1, 2}, {.max_tokens = 1}), 1);
  EXPECT_EQ(generation.add({1, 2, 3, 4, 5}, {.max_tokens = 40}), 2);  // only one more position
  std::vector<GeneratedToken> tokens = generation.step();
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].finish, Finish::end_token);
  EXPECT_EQ(tokens[1].finish, Finish::length);
  EXPECT_EQ(tokens[2].finish, Finish::none);
  tokens = generation.step();
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(tokens[0].id, 2);
  EXPECT_EQ(tokens[0].finish, Finish::length);
  EXPECT_TRUE(generation.empty());
  EXPECT_TRUE(generation.step().empty());
  EXPECT_FALSE(generation.remove(2));
}

// Rules that exclude every token from the third on: the step fails and names the sequence.
TEST(Generation, AFailedStepChangesNothing) {
  const Model model(tiny("rotary"), {.seed = 3});
  const Ids wanted = generate(model, {{1, 2, 3}}, {.max_tokens = 8})[0];
  Generation generation(model);
  GenerateOptions impossible = {.max_tokens = 8};
  for (int32_t token = 0; token < 17; ++token) impossible.rules.ends.push_back(token);
  impossible.rules.min_length = 100;
  const int64_t good = generation.add({1, 2, 3}, {.max_tokens = 8});
  Ids written;
  const auto step = [&] {
    for (const GeneratedToken& token : generation.step()) written.push_back(token.token);
  };
  step();
  const int64_t bad = generation.add({4}, impossible);
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_error(Fault::data, {"sequence 1", "rules"}, [&] { generation.step(); });
  }
  EXPECT_EQ(generation.count(), 2);
  EXPECT_TRUE(generation.remove(bad));
  while (!generation.empty()) step();
  EXPECT_EQ(written, wanted);
  EXPECT_EQ(good, 0);
}

TEST(Generation, BadInputIsNamedWhenItIsAdded) {
  Blueprint b = tiny("learned");
  b.max_length = 6;
  const Model model(b), both(tiny("t5", ModelKind::encoder_decoder));
  Generation generation(model), answering(both);
  expect_error(Fault::data, {"prompt"}, [&] { generation.add({}); });
  expect_error(Fault::data, Code::bad_token, {"17", "0", "16"}, [&] { generation.add({1, 17}); });
  expect_error(Fault::data, Code::bad_token, {"-1", "0", "16"}, [&] { answering.add({1}, {}, {-1}); });
  expect_error(Fault::data, {"max_tokens", "0", "1"}, [&] { generation.add({1}, {.max_tokens = 0}); });
  expect_error(Fault::data, Code::bad_position, {"7", "6", "learned"}, [&] {
    generation.add({1, 2, 3, 4, 5, 6, 7});
  });
  expect_error(Fault::data, {"decoder-only"}, [&] { generation.add({1}, {}, {2}); });
  expect_error(Fault::data, {"encoder-decoder"}, [&] { answering.add({1}); });
  EXPECT_TRUE(generation.empty());
}

}  // namespace
}  // namespace locus::testing
