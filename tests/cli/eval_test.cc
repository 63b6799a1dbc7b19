// locus eval by length, as a user sees it: train a tiny run, then evaluate it at several lengths.
#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/checkpoint/safetensors.h"
#include "tests/apply/expected.h"
#include "tests/program.h"
#include "tests/report/well_formed.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class EvalByLength : public ::testing::Test {
 protected:
  EvalByLength() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "abcdefgh";
    put(folder / "x.txt", text);
    put(folder / "run.toml",
        "[model]\nwidth = 16\nlayers = 1\nheads = 2\ninit_std = 0.2\n[model.scheme]\nname = 'rotary'\n"
        "[data]\ntrain = 'x.txt'\ncontext = 16\nbatch_size = 8\n"
        "[train]\nsteps = 30\nlearning_rate = 0.02\neval_every = 0\n");
  }
  void train(const std::string& more = "") const {
    const Outcome trained = run_program("train " + place("run.toml") + " --out " + place("out") + more);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  std::string place(const std::string& name) const { return (folder / name).string(); }
  std::string eval(const std::string& more) const {
    const Outcome outcome = run_program("eval " + place("out") + " " + place("x.txt") + " " + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  void expect_refused(int exit_code, const std::string& more,
                      std::initializer_list<std::string_view> values) const {
    expect_program_fault(exit_code, "eval " + place("out") + " " + more, values);
  }
  const TemporaryFolder folder{in_memory()};
};

TEST_F(EvalByLength, ARowForEveryLengthAndTheLossByPosition) {
  train();
  simdjson::dom::parser parser;
  const std::string json = eval("--lengths 64,8,16 --json");
  const simdjson::dom::element all = parser.parse(json);
  EXPECT_EQ(count_of(all, "tokens"), 480u);
  EXPECT_EQ(count_of(all, "bytes"), 480u);
  const simdjson::dom::array lengths = list_of(all, "lengths");
  ASSERT_EQ(lengths.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const Expected::Value row = lengths.at(i).value();
    EXPECT_EQ(count_of(row, "length"), (std::vector<uint32_t>{8, 16, 64})[i]);
    EXPECT_EQ(count_of(row, "targets"), 479u);
    EXPECT_NEAR(number_of(row, "perplexity"), std::exp(number_of(row, "loss")), 1e-5);
    EXPECT_NEAR(number_of(row, "bits_per_byte"), number_of(row, "loss") / std::log(2), 1e-6);
    EXPECT_GT(number_of(row, "late_loss"), 0);
  }
  const simdjson::dom::array positions = list_of(all, "by_position");
  ASSERT_EQ(positions.size(), 7u);
  EXPECT_EQ(count_of(positions.at(6).value(), "least"), 33u);
  EXPECT_EQ(count_of(positions.at(6).value(), "most"), 64u);

  const std::string text = eval("--lengths 8,1000 --stride 4");
  expect_values(text, {"480 tokens", "479", "bits per byte", "2nd half", "1000", "1001", "5-8"});
  EXPECT_EQ(eval("--lengths 8,8 --json"), eval("--lengths 8 --json")) << "no length twice";
  // A run without --lengths reads the windows of its validation.
  expect_values(eval(""), {"29 samples", "464 targets", "bits_per_byte", "majority"});
}

TEST_F(EvalByLength, ThePageHasBothCharts) {
  train();
  eval("--lengths 8,16,64 --out " + place("page.html"));
  const std::string page = read_file(folder / "page.html");
  EXPECT_EQ(not_well_formed(page), "");
  for (const char* part : {"Perplexity by length", "Loss by position", "trained at 16", "x.txt", "rotary"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
  eval("--lengths 8,600 --out " + place("page.html"));
  const std::string single = read_file(folder / "page.html");
  EXPECT_EQ(not_well_formed(single), "");
  EXPECT_FALSE(contains(single, "Perplexity by length")) << "one length is no curve";
  EXPECT_TRUE(contains(single, "601")) << "why 600 is missing";
}

TEST_F(EvalByLength, ForwardOfARunHasTheLossOfEval) {
  train();
  put(folder / "x.txt", "abcdefghabcdefgha");
  std::string ids;
  for (const char c : read_file(folder / "x.txt")) ids += (ids.empty() ? "" : ", ") + std::to_string(int{c});
  put(folder / "x.json", "{\"input_ids\": [[" + ids + "]], \"labels\": [[" + ids + "]]}");
  simdjson::dom::parser parser;
  const std::string json = eval("--lengths 16 --json");
  const double loss = number_of(list_of(parser.parse(json), "lengths").at(0).value(), "loss");
  for (const char* run : {"out", "out/last"}) {
    const Outcome outcome = run_program("forward " + place(run) + " --input " + place("x.json") + " --out " +
                                        place("y.safetensors") + " --gradients");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const SafetensorsFile computed(folder / "y.safetensors");
    EXPECT_NEAR(computed.read("loss").item(), loss, 1e-5);
    EXPECT_EQ(computed.read("logits").shape(), (Shape{1, 17, 259}));
    const SafetensorsFile weights(folder / "out/last/model.safetensors");
    for (const TensorEntry& entry : weights.entries()) {
      EXPECT_TRUE(computed.has("grad." + entry.name)) << entry.name;
    }
  }
  const std::string weights = place("out/last/model.safetensors");
  expect_program_fault(2, "forward " + place("out") + " --input " + place("x.json") + " --out " + weights,
                       {"model.safetensors'"});
}

TEST_F(EvalByLength, BadInputIsNamed) {
  train(" --set model.scheme.name=learned");
  for (const char* word : {"0", "-8", "x", "8.5", "99999999999999999999", "16777217"}) {
    expect_refused(2, place("x.txt") + " --lengths 8," + word, {"--lengths", "'" + std::string(word) + "'"});
  }
  expect_refused(2, place("x.txt") + " --lengths 8,,16", {"--lengths", "''"});
  expect_refused(3, place("x.txt") + " --lengths 17,32", {"17", "learned", "16"});
  expect_refused(3, place("x.txt") + " --lengths 8 --stride 9", {"9", "8"});
  expect_refused(2, place("x.txt") + " --lengths 8 --truncate", {"--truncate", "x.txt"});
  expect_refused(2, place("x.txt") + " --truncate", {"--truncate", "x.txt"});
  expect_refused(2, place("x.txt") + " --out x.svg", {"x.svg", ".html"});
  put(folder / "empty.txt", "");
  expect_refused(3, place("empty.txt"), {"empty.txt", "0", "2"});
  expect_refused(3, place("empty.txt") + " --lengths 8", {"empty.txt", "0", "2"});
}

}  // namespace
}  // namespace locus
