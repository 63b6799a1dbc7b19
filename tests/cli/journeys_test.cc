// The ways of a model through several commands, from its training to its use.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <sstream>

#include "tests/apply/expected.h"
#include "tests/cli/train_command.h"

namespace locus {
namespace {

class Journey : public TrainCommand {
 protected:
  // The loss by length.
  std::map<uint32_t, double> losses(const std::string& place, const std::string& lengths) const {
    simdjson::dom::parser parser;
    const std::string json =
        expect_fine("eval " + quoted(place) + " " + quoted("x.txt") + " --json --lengths " + lengths);
    std::map<uint32_t, double> found;
    for (const Expected::Value row : list_of(parser.parse(json), "lengths")) {
      if (row.at_key("loss").error() == simdjson::SUCCESS)
        found[count_of(row, "length")] = number_of(row, "loss");
    }
    return found;
  }
  std::string generated(const std::string& place) const {
    return expect_fine("generate " + quoted(place) + " abcd --max-tokens 8");
  }
};

// A run has 16 positions. Stretched, it has the same losses up to there, and can be evaluated past them.
TEST_F(Journey, TrainEvaluateStretchEvaluateExport) {
  expect_fine(command());
  const auto trained = losses("out", "8,16,32");
  ASSERT_EQ(trained.size(), 2u) << "the table has 16 rows";
  EXPECT_LT(trained.at(16), 1.5) << "the letters follow each other";

  expect_fine("stretch " + out() + " --length 32 --how repeat --out " + quoted("longer"));
  const auto longer = losses("longer", "8,16,32");
  ASSERT_EQ(longer.size(), 3u);
  EXPECT_NEAR(longer.at(8), trained.at(8), 1e-5);
  EXPECT_NEAR(longer.at(16), trained.at(16), 1e-5);
  EXPECT_GT(longer.at(32), trained.at(16) / 2);

  expect_fine("export " + out() + " " + quoted("exported"));
  EXPECT_NEAR(losses("exported", "16").at(16), trained.at(16), 1e-5);
  EXPECT_EQ(generated("exported"), generated("out"));
  expect_fine("inspect " + quoted("longer"));

  // The longer folder is a place to start from: it is trained at its new length.
  put(folder / "next.toml",
      "[model]\nfrom = 'longer'\n[data]\ntrain = 'x.txt'\ncontext = 32\n[train]\nsteps = 30\n"
      "learning_rate = 0.01\n");
  expect_fine("train " + quoted("next.toml") + " --out " + quoted("tuned"));
  EXPECT_LT(losses("tuned", "32").at(32), longer.at(32));
}

// What would the model be with another scheme? The other weights stay, and training adapts them.
TEST_F(Journey, AFolderIsTrainedWithAnotherScheme) {
  expect_fine(command());
  expect_fine("export " + out() + " " + quoted("folder"));
  put(folder / "swap.toml",
      "[model]\nfrom = 'folder'\n[model.scheme]\nname = 'alibi'\n[data]\ntrain = 'x.txt'\ncontext = 16\n"
      "[train]\nlearning_rate = 0.01\n");
  const auto swapped = [&](const std::string& steps) {
    const Outcome outcome = run_program("train " + quoted("swap.toml") + " --out " + quoted(steps) +
                                        " --set train.steps=" + steps);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_values(outcome.err, {"alibi", "learned", "decoder.scheme.table"});
    return losses(steps, "16,64");
  };
  const double own = losses("folder", "16").at(16);
  const auto first = swapped("1"), adapted = swapped("60");
  EXPECT_LT(adapted.at(16), first.at(16)) << "training adapts the weights to the new scheme";
  EXPECT_LT(adapted.at(16), own + 0.5) << "to about the loss of the old one";
  EXPECT_EQ(adapted.count(64), 1u) << "past the 16 positions of the old scheme";
}

// The texts and scores of a search, without the numbers of lines and rows.
std::vector<std::pair<std::string, std::string>> matches(const std::string& output) {
  std::vector<std::pair<std::string, std::string>> found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (second != std::string::npos) found.emplace_back(line.substr(0, first), line.substr(second + 1));
  }
  return found;
}

// An index of a run's vectors answers as a search among the texts does.
TEST_F(Journey, EmbedIndexSearch) {
  put(folder / "words.tsv",
      "the dog\tanimal\nthe cat\tanimal\na house\tthing\nthe road\tthing\na bird\tanimal\n");
  put(folder / "words.txt", "the dog\nthe cat\na house\nthe road\na bird\n");
  put(folder / "queries.txt", "a dog\nroads\n");
  expect_fine(command("--set data.train=" + quoted("words.tsv") +
                      " --set model.kind=encoder --set model.head=sequence_class --set train.steps=20"));
  const std::string vectors = quoted("v.npy");
  expect_fine("embed " + out() + " --file " + quoted("words.txt") + " --out " + vectors);
  const std::string index =
      expect_fine("similarity " + out() + " --index " + vectors + " --top 3 --file " + quoted("queries.txt"));
  const std::string once = expect_fine(
      "similarity " + out() + " --query 'a dog' --query roads --top 3 --file " + quoted("words.txt"));
  EXPECT_EQ(matches(index).size(), 6u) << index;
  EXPECT_EQ(matches(index), matches(once));
  const Outcome exported = run_program("export " + out() + " " + quoted("exported"));
  EXPECT_EQ(exported.exit_code, 3) << "no family has this encoder, but it is an encoder";
  EXPECT_FALSE(contains(exported.err, "model.kind")) << exported.err;
}

}  // namespace
}  // namespace locus
