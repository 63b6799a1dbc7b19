// Runs, trained from scratch or from a folder, exported as Hugging Face model folders and opened again.
#include "locus/train/export_run.h"

#include <gtest/gtest.h>

#include "locus/apply/text_model.h"
#include "locus/base/paths.h"
#include "locus/nn/generate.h"
#include "locus/run/run_folder.h"
#include "locus/train/model_objective.h"
#include "tests/program.h"
#include "tests/train/hub_run.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class ExportRun : public ::testing::Test {
 protected:
  ExportRun() {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "abcdefgh";
    put(folder / "x.txt", text);
    put(folder / "x.tsv", "ab c\tup\nc ba\tdown\na de\tup\ne da\tdown\n");
    put(folder / "pairs.tsv", "ab\tba\ncd\tdc\n");
  }
  void train(const std::string& model, const std::string& data) const {
    put(folder / "run.toml", "[model]\nwidth = 16\nlayers = 2\nheads = 2\ninit_std = 0.2\n" + model +
                                 "[data]\ncontext = 16\nbatch_size = 4\ntrain = " + data +
                                 "\n[train]\nsteps = 60\nlearning_rate = 0.02\n");
    const Outcome outcome =
        run_program("train " + (folder / "run.toml").string() + " --out " + (folder / "run").string());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "run/hub"));
  }
  void exports() const {
    const Outcome outcome = run_program("export " + (folder / "run").string() + " " + out());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(names(outcome.out, out())) << outcome.out;
  }
  // The run and the folder encode a text to the same ids, and the model has the same output: to the bit, but
  // for `error` if transformers computes angles with fewer digits.
  void expect_same(const TextInput& input, float error = 0) const {
    const TextModel run(folder / "run"), hub(folder / "out");
    const Encoding wanted = run.read(input, false), found = hub.read(input, false);
    EXPECT_EQ(found.ids, wanted.ids) << input.text;
    EXPECT_EQ(found.segments, wanted.segments) << input.text;
    const NoGrad guard;
    const Tokens tokens = tokens_of({wanted.ids}, run.blueprint());
    const std::vector<float> logits = hub(tokens).value().values(), own = run(tokens).value().values();
    ASSERT_EQ(logits.size(), own.size());
    for (size_t i = 0; i < own.size(); ++i) EXPECT_NEAR(logits[i], own[i], error);
  }
  std::string out() const { return (folder / "out").string(); }
  std::string output_of(const std::string& command, const char* place, const std::string& texts) const {
    const Outcome outcome = run_program(command + " " + (folder / place).string() + " " + texts);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  const TemporaryFolder folder{in_memory()};
};

TEST_F(ExportRun, ADecoderWithRotary) {
  train("[model.scheme]\nname = 'rotary'\n", "'x.txt'");
  exports();
  expect_same({"abcdab <s>"}, 1e-5f);
  const Config config(folder / "out/generation_config.json");
  EXPECT_EQ(config.integer("eos_token_id", 0, 300), 257) << "</s>";
  EXPECT_EQ(output_of("generate", "out", "ab --max-tokens 8"),
            output_of("generate", "run", "ab --max-tokens 8"));
}

TEST_F(ExportRun, AnEncoderThatClassifiesPairs) {
  train(
      "kind = 'encoder'\nhead = 'sequence_class'\nembedding_norm = true\nnorm_place = 'after'\n"
      "final_norm = false\nsegments = 2\npooling = 'first'\npooler = 'tanh'\n[model.scheme]\nname = "
      "'learned'\n",
      "'x.tsv'");
  exports();
  EXPECT_EQ(named_labels(Config(folder / "out/config.json")), (std::vector<std::string>{"down", "up"}));
  expect_same({"abc"});
  expect_same({"abc", "cba"});
  EXPECT_EQ(output_of("classify", "out", "'ab c' 'e da'"), output_of("classify", "run", "'ab c' 'e da'"));
  const TextModel hub(folder / "out");
  EXPECT_EQ(hub.longest(), 16);
}

TEST_F(ExportRun, AnEncoderDecoder) {
  train(
      "kind = 'encoder-decoder'\nhead = 'next_token'\nnorm = 'rms'\nquery_bias = false\nkey_bias = false\n"
      "value_bias = false\noutput_bias = false\nhidden_bias = false\nattention_scale = 1\n"
      "activation = 'relu'\n[model.scheme]\nname = 't5'\n",
      "'pairs.tsv'");
  exports();
  const Config config(folder / "out/config.json");
  EXPECT_EQ(config.integer("decoder_start_token_id", 0, 300), 256);
  EXPECT_EQ(config.integer("eos_token_id", 0, 300), 257);
  EXPECT_EQ(output_of("translate", "out", "ab"), output_of("translate", "run", "ab"));
}

TEST_F(ExportRun, ALearnedVocabulary) {
  run_program("tokenize --learn 258 --file " + (folder / "x.txt").string() + " --out " +
              (folder / "bpe").string());
  train("[model.scheme]\nname = 'rotary'\n", "'x.txt'\ntokenizer = 'bpe'");
  exports();
  expect_same({"abcdefghabc xyz"}, 1e-5f);
}

TEST_F(ExportRun, AModelThatNoFamilyRepresentsIsAnErrorThatNamesTheField) {
  train("[model.scheme]\nname = 'kerple'\n", "'x.txt'");
  expect_program_fault(3, "export " + (folder / "run").string() + " " + out(), {"scheme.name", "kerple"});
  EXPECT_FALSE(fs::exists(folder / "out"));
}

// The default pooling of an encoder is not that of BERT.
TEST_F(ExportRun, TheErrorHasTheSettingsThatAFamilyRepresents) {
  const std::string bert =
      "kind = 'encoder'\nhead = 'sequence_class'\nembedding_norm = true\nnorm_place = 'after'\n"
      "final_norm = false\nsegments = 2\npooler = 'tanh'\n";
  train(bert + "[model.scheme]\nname = 'learned'\n", "'x.tsv'");
  const Outcome refused = run_program("export " + (folder / "run").string() + " " + out());
  EXPECT_EQ(refused.exit_code, 3);
  expect_values(refused.err, {"pooling is mean, expected first", "model.pooling = first", "BERT"});
  fs::remove_all(folder / "run");
  train(bert + "pooling = 'first'\n[model.scheme]\nname = 'learned'\n", "'x.tsv'");
  exports();
}

TEST_F(ExportRun, BadFoldersAreErrors) {
  train("[model.scheme]\nname = 'rotary'\n", "'x.txt'");
  const std::string run = (folder / "run").string();
  fs::create_directory(folder / "out");
  put(folder / "out/x", "");
  expect_program_fault(2, "export " + run + " " + out(), {"'" + out() + "'"});
  expect_program_fault(3, "export " + out() + " " + run + "2", {"'" + out() + "'"});
  expect_program_fault(4, "export /nowhere " + run + "2", {"'/nowhere'"});
}

class ExportHubRun : public HubRun {};

TEST_F(ExportHubRun, ExportsWhatItsHubFolderContains) {
  add_letters();
  put(folder / "x.tsv", "a b c\tup\nc b a\tdown\n");
  config(model.path().string(),
         "head = 'sequence_class'\n[data]\ntrain = 'x.tsv'\nbatch_size = 2\n[train]\nsteps = 2\n");
  ASSERT_EQ(train().exit_code, 0);
  export_run(load_run(folder / "out"), folder / "exported");
  for (const fs::path& entry : entries_of(folder / "out/hub")) {
    EXPECT_EQ(read_file(folder / "exported" / entry.filename()), read_file(entry)) << entry;
  }
}

TEST_F(ExportHubRun, TheFolderItStartedFromIsNotNeeded) {
  add_letters();
  put(folder / "x.tsv", "a b c\tup\nc b a\tdown\n");
  config(model.path().string(),
         "head = 'sequence_class'\n[data]\ntrain = 'x.tsv'\nbatch_size = 2\n[train]\nsteps = 2\n");
  ASSERT_EQ(train().exit_code, 0);
  fs::remove(model / "config.json");
  export_run(load_run(folder / "out"), folder / "exported");
  const NoGrad guard;
  const TextModel hub(folder / "out/hub"), exported(folder / "exported");
  const Encoding text = exported.read({"a b c"}, false);
  EXPECT_EQ(text.ids, hub.read({"a b c"}, false).ids);
  EXPECT_EQ(exported.labels(), hub.labels());
  const Tokens tokens = tokens_of({text.ids}, hub.blueprint());
  EXPECT_EQ(exported(tokens).value().values(), hub(tokens).value().values());
}

}  // namespace
}  // namespace locus
