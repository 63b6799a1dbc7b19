// locus train, eval and generate as a user meets them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "locus/train/run_folder.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class TrainCommand : public ::testing::Test {
 protected:
  TrainCommand() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "abcdefgh";
    put(folder / "x.txt", text);
    put(folder / "run.toml",
        "[model]\nwidth = 16\nlayers = 1\nheads = 2\ndeviation = 0.2\n[model.scheme]\nname = 'learned'\n"
        "[data]\ntrain = 'x.txt'\nvalidation_split = 0.2\ncontext = 16\nbatch_size = 8\n"
        "[train]\nsteps = 60\nlearning_rate = 0.02\neval_every = 20\nsave_every = 20\n");
  }
  std::string out() const { return (folder / "out").string(); }
  std::string command(const std::string& more = "") const {
    return "train " + (folder / "run.toml").string() + " --out " + out() + " " + more;
  }
  void expect_fault(int exit_code, const std::string& arguments,
                    std::initializer_list<const char*> parts) const {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
    for (const char* part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
  std::string expect_fine(const std::string& arguments) const {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
    return outcome.out;
  }
  const TemporaryFolder folder{in_memory()};
};

TEST_F(TrainCommand, SettingsMayStandInFront) {
  expect_fine("train --set train.steps=1 " + command("").substr(std::string_view("train ").size()));
}

TEST_F(TrainCommand, ATrainedModelIsExplained) {
  expect_fine(command("--set train.steps=2 --set train.eval_every=2 --set train.save_every=2"));
  const std::string told = expect_fine("explain 'ab cd ab' --model " + out());
  EXPECT_NE(told.find("Looked at: the model in " + out()), std::string::npos) << told;
  // Its tokens are bytes: the word is looked at where it ends.
  EXPECT_NE(told.find("'b' stands at positions 1 and 7."), std::string::npos) << told;
  EXPECT_NE(
      expect_fine("explain 'Äb cd äb' --word ÄB --model " + out()).find("'b' stands at positions 2 and 9."),
      std::string::npos);
  expect_fault(3, "explain 'ab cd' --model " + out() + " --word ab",
               {"'ab' is not said twice in the sentence"});
  expect_fault(2, "explain 'ab cd ab' --scheme rotary --model " + out(), {"leave out --scheme and --causal"});
  const std::string inspected = expect_fine("inspect " + out());
  EXPECT_NE(inspected.find(out() + "/best\n"), std::string::npos) << inspected;
  EXPECT_NE(inspected.find("learned\n"), std::string::npos) << inspected;
}

TEST_F(TrainCommand, ABatchThatDoesNotFitIsRefusedBeforeItBegins) {
  expect_fault(5, command("--set data.batch_size=1000000 --set model.layers=400"),
               {"a step needs at least ", "tokens at once), but ", " GB are free; lower data.batch_size"});
}

TEST_F(TrainCommand, AModelThatDoesNotFitIsRefusedBeforeItIsMade) {
  expect_fault(5, command("--set model.width=65536 --set model.heads=16 --set model.layers=10000"),
               {" GB are free; take a smaller model: lower model.width or model.layers"});
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(TrainCommand, ThePageIsThereFromTheFirstValidationOn) {
  for (const char* seconds : {"0.3", "1", "3", "10", "30"}) {  // a sanitizer, an emulator, a busy machine
    run_program(command("--set train.steps=1000000000"), fmt::format("timeout -s KILL {}", seconds));
    if (fs::exists(folder / "out" / "training.html")) break;
  }
  EXPECT_NE(read_file(folder / "out" / "training.html").find("the best validation loss is "),
            std::string_view::npos);
}

TEST_F(TrainCommand, TrainsMeasuresAndWrites) {
  const Outcome trained = run_program(command());
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(trained.out,
            out() + ": 60 steps done; see training.html, or ask the model: locus eval, locus generate\n");
  EXPECT_NE(trained.err.find("step 6/60  loss "), std::string::npos) << trained.err;
  EXPECT_NE(trained.err.find(" s left  validation "), std::string::npos) << trained.err;
  EXPECT_EQ(trained.err.find('\r'), std::string::npos) << "no terminal, no live line";
  for (const char* name : {"metrics.jsonl", "training.html", "last/model.safetensors", "last/config.toml",
                           "last/vocabulary.json", "last/optimizer.safetensors", "best/model.safetensors"}) {
    EXPECT_TRUE(fs::exists(folder / "out" / name)) << name;
  }

  const std::string text = (folder / "x.txt").string();
  const std::string measured = expect_fine("eval " + out() + " " + text);
  EXPECT_NE(measured.find("x.txt': 29 samples, 464 targets\n"), std::string::npos) << measured;
  EXPECT_NE(measured.find("perplexity"), std::string::npos);
  EXPECT_NE(measured.find("9-16"), std::string::npos) << "by length\n" << measured;
  const std::string json = expect_fine("eval " + out() + "/last " + text + " --json");
  EXPECT_NE(json.find("\"accuracy\": 1,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"majority\": 0.125"), std::string::npos) << json;

  EXPECT_EQ(expect_fine("generate " + out() + " abc --max-tokens 6"), "defgha\n");
  EXPECT_EQ(expect_fine("generate " + out() + " abc --stop gh"), "def\n");
  EXPECT_EQ(expect_fine("generate " + out() + " abc --stop f --stop e"), "d\n");
  EXPECT_EQ(expect_fine("generate " + out() + " abc gh --max-tokens 3 --json"),
            "{\"prompt\": \"abc\", \"text\": \"def\"}\n{\"prompt\": \"gh\", \"text\": \"abc\"}\n");
  EXPECT_EQ(expect_fine("generate " + out() + " abc gh --max-tokens 3 --beams 2"), "def\nabc\n");
  EXPECT_EQ(expect_fine("generate " + out() + " abc --max-tokens 100").size(), 15u)
      << "3 of 16 positions are taken, and the last token needs none; and a line end";
  const std::string drawn = "generate " + out() + " abc --max-tokens 9 --temperature 3 --seed ";
  EXPECT_EQ(expect_fine(drawn + "1"), expect_fine(drawn + "1"));
  EXPECT_NE(expect_fine(drawn + "1"), expect_fine(drawn + "2"));
  EXPECT_EQ(expect_fine(drawn + "1 --top-k 1"), "defghabcd\n");
  EXPECT_EQ(expect_fine(drawn + "1 --min-p 1"), "defghabcd\n");
  EXPECT_EQ(expect_fine(drawn + "1 --top-p 0.001"), "defghabcd\n");
}

TEST_F(TrainCommand, TheSameCommandGoesOnAndAnotherIsRefused) {
  expect_fine(command("--set train.steps=40"));
  const std::string metrics = read_file(folder / "out/metrics.jsonl");
  expect_fine(command("--set train.steps=40"));
  EXPECT_EQ(read_file(folder / "out/metrics.jsonl"), metrics) << "there is nothing left to do";
  expect_fault(2, command("--set train.steps=40 --set train.learning_rate=0.01"),
               {"was begun with another configuration", "train.learning_rate: '0.01', was '0.02'"});
}

TEST_F(TrainCommand, ARunGoesOnWithTheSameDataWhereverTheyAre) {
  expect_fine(command("--set train.steps=20"));
  fs::create_directory(folder / "moved");
  for (const char* name : {"x.txt", "run.toml"}) fs::rename(folder / name, folder / "moved" / name);
  const std::string moved =
      "train " + (folder / "moved/run.toml").string() + " --out " + out() + " --set train.steps=20";
  expect_fine(moved);
  put(folder / "moved/x.txt", std::string(480, 'x'));
  expect_fault(2, moved, {"was begun with other data: training-data.txt is not the same now"});
  fs::remove(folder / "moved/x.txt");
  expect_fault(4, moved, {"data.train is '", "moved/x.txt', which is not there", "LOCUS_DATA"});
}

// Signals a run as soon as it has made a step more than is in the metrics, and returns how it ended.
int end_by(const std::string& signal, const std::string& arguments, const fs::path& metrics) {
  const auto size = fs::exists(metrics) ? fs::file_size(metrics) : 0;
  const std::string script = fmt::format(
      "{} {} >/dev/null 2>&1 & while kill -0 $! && [ \"$(stat -c %s {} 2>/dev/null || echo 0)\" -le {} ]; "
      "do sleep 0.01; done; kill -{} $!; wait $!",
      LOCUS_PROGRAM, arguments, metrics.string(), size, signal);
  const int status = std::system(script.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(TrainCommand, SignalsSaveAndLeaveAndTheRunGoesOn) {
  const std::string many = command("--set train.steps=1000000 --set train.eval_every=0");
  EXPECT_EQ(end_by("INT", many, folder / "out/metrics.jsonl"), 130);
  const int64_t step = read_state(folder / "out/last").step;
  EXPECT_GT(step, 0);
  EXPECT_TRUE(fs::exists(folder / "out/training.html"));
  EXPECT_EQ(end_by("TERM", many, folder / "out/metrics.jsonl"), 143);
  EXPECT_GT(read_state(folder / "out/last").step, step);
}

TEST_F(TrainCommand, Faults) {
  {
    const RunFolder taken(folder / "out");
    expect_fault(4, command(), {"is in use by another run, process "});
  }
  // Rows of zeros through a norm that adds nothing to their variance.
  expect_fault(6, command("--set model.init_std=0 --set model.norm_eps=0 --set model.scheme.name=none"),
               {"step 1: the loss is nan; nothing was saved yet"});
  expect_fault(2, command("--set train.eps=0"), {"[train] eps is '0'"});
  expect_fault(2, command("--set train.stepz=3"), {"unknown option 'stepz'; did you mean 'steps'?"});
  expect_fault(2, command("--set steps"), {"'steps', expected key=value"});
  expect_fault(2, "train " + (folder / "run.toml").string(), {"--out is required"});
  expect_fault(4, "train /nowhere.toml --out " + out(), {"cannot open '/nowhere.toml'"});
  put(folder / "bad.toml", "[model\n");
  expect_fault(3, "train " + (folder / "bad.toml").string() + " --out " + out(), {"bad.toml:1"});
  expect_fault(3, command("--set data.context=1000"),
               {"x.txt' (tokens 0 to 384 of it) has 384 tokens, expected at least 1001"});
  expect_fault(3, command("--set model.max_length=8"),
               {"learned: token 8 of sequence 0 has position 8, past the table"});
  expect_fault(2, command("--set model.kind=encoder"),
               {"head is next_token, but an encoder sees the tokens that follow"});
  expect_fault(4, "train " + (folder / "run.toml").string() + " --out /proc/x",
               {"cannot make the folder '/proc/x/steps'"});
}

TEST_F(TrainCommand, AMaskHidesAToken) {
  expect_fine(
      command("--set model.kind=encoder --set model.head=masked_token --set data.mask_rate=0.001 --set "
              "data.batch_size=1 --set data.validation_split=0"));
}

TEST_F(TrainCommand, EvalAndGenerateRefuseWhatMakesNoSense) {
  expect_fault(4, "eval /nowhere x", {"'/nowhere' is no folder; expected the folder of a run"});
  expect_fault(3, "generate " + folder.path().string() + " x", {"holds no checkpoint"});
  EXPECT_NE(expect_fine(command("--set train.steps=1")).find(": 1 step done;"), std::string::npos);
  expect_fault(4, "eval " + out() + " /nowhere.txt", {"cannot open '/nowhere.txt'"});
  expect_fault(3, "generate " + out() + " ''", {"text 1: it has no tokens"});
  expect_fault(2, "generate " + out() + " x --top-p 2", {"top_p is '2'"});
  expect_fault(2, "generate " + out() + " x --repetition-penalty 0", {"repetition_penalty is '0'"});
  expect_fault(2, "generate " + out() + " x --beams 2 --top-k 2", {"exclude each other"});
  expect_fault(2, "generate " + out() + " x --beams 2000", {"--beams", "2000"});
  expect_fault(2, "generate " + out() + " x --stop ''", {"a stop string is empty"});
  expect_fault(3, "generate " + out() + " abcdefghabcdefghx",
               {"text 1: it has 17 tokens, expected at most 16"});
  std::string weights = read_file(folder / "out/last/model.safetensors");
  weights.back() = static_cast<char>(weights.back() ^ 1);
  put(folder / "out/last/model.safetensors", weights);
  expect_fault(3, "eval " + out() + "/last " + (folder / "x.txt").string(), {"not as it was saved"});
}

TEST_F(TrainCommand, ADamagedBestCheckpointIsReplacedAndToldOf) {
  expect_fine(command("--set train.steps=4 --set train.save_every=2 --set train.eval_every=0"));
  put(folder / "out/best/model.safetensors", "x");
  const Outcome outcome = run_program("eval " + out() + " " + (folder / "x.txt").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("out/steps/00000002' is taken in its place\n"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainCommand, ARunDoesNotEndForItsPage) {
  expect_fine(command("--set train.steps=2"));
  std::string metrics = read_file(folder / "out/metrics.jsonl");
  metrics[0] = 'x';
  put(folder / "out/metrics.jsonl", metrics);
  const Outcome outcome = run_program(command("--set train.steps=2"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("locus: no training.html: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("metrics.jsonl:1: no JSON object with a step"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainCommand, WordsAndQuestionsFromFiles) {
  put(folder / "tags.tsv", "the dog ran\tD N V\na cat sat\tD N V\nit ran\tN V\n");
  const std::string model = "--set model.kind=encoder --set data.validation_split=0 --set data.context=32 ";
  const std::string told = expect_fine(
      command(model + "--set model.head=token_class --set data.train=" + (folder / "tags.tsv").string()));
  EXPECT_TRUE(told.ends_with("ask the model: locus eval, locus tag\n")) << told;
  const std::string tags = expect_fine("eval " + out() + " " + (folder / "tags.tsv").string() + " --json");
  EXPECT_NE(tags.find("\"accuracy\": 1,"), std::string::npos) << tags;
  EXPECT_NE(tags.find("\"f1\": 1,"), std::string::npos) << tags;
  put(folder / "other.tsv", "it\tX\n");
  expect_fault(3, "eval " + out() + " " + (folder / "other.tsv").string(),
               {"the label 'X' does not occur in training"});
  expect_fault(3, "generate " + out() + " x", {"its head is token_class, expected next_token to write"});

  fs::remove_all(out());
  put(folder / "q.jsonl",
      R"({"question": "who", "context": "a dog ran", "answers": {"text": ["dog"], "answer_start": [2]}})"
      "\n"
      R"({"question": "did", "context": "cats ran", "answers": {"text": ["ran"], "answer_start": [5]}})"
      "\n");
  expect_fine(command(model + "--set model.head=answer --set data.train=" + (folder / "q.jsonl").string()));
  const std::string answers = expect_fine("eval " + out() + " " + (folder / "q.jsonl").string() + " --json");
  EXPECT_NE(answers.find("\"exact_match\": 1,"), std::string::npos) << answers;
  EXPECT_NE(answers.find("\"f1\": 1,"), std::string::npos) << answers;
}

}  // namespace
}  // namespace locus
