// locus train, eval and generate as a user sees them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "locus/run/run_folder.h"
#include "tests/cli/train_command.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

TEST_F(TrainCommand, SettingsMayPrecedeTheConfiguration) {
  expect_fine("train --set train.steps=1 " + command("").substr(std::string_view("train ").size()));
}

TEST_F(TrainCommand, ATrainedModelIsExplained) {
  expect_fine(command("--set train.steps=2 --set train.eval_every=2 --set train.save_every=2"));
  expect_values(expect_fine("explain 'ab cd ab' --model " + out()), {out(), "'b'", "1", "7"});
  // The tokens are bytes: explain compares the last token of the word.
  const std::string json = expect_fine("explain 'ab cd ab' --json --model " + out());
  EXPECT_TRUE(contains(json, "\"tokens\": [\"a\", \"b\", \" \", \"c\", \"d\", \" \", \"a\", \"b\"]")) << json;
  EXPECT_TRUE(contains(json, "\"first\": 1,") && contains(json, "\"second\": 7,")) << json;
  const std::string letters = expect_fine("explain 'Äb cd äb' --word ÄB --json --model " + out());
  EXPECT_TRUE(contains(letters, "\"first\": 2,") && contains(letters, "\"second\": 9,")) << letters;
  expect_program_fault(3, "explain 'ab cd' --model " + out() + " --word ab", {"'ab'"});
  expect_program_fault(2, "explain 'ab cd ab' --scheme rotary --model " + out(),
                       {"--model", "--scheme", "--causal"});
  const std::string inspected = expect_fine("inspect " + out());
  EXPECT_NE(inspected.find(out() + "/best\n"), std::string::npos) << inspected;
  EXPECT_NE(inspected.find("learned\n"), std::string::npos) << inspected;
}

TEST_F(TrainCommand, ABatchThatDoesNotFitIntoMemoryIsRefusedBeforeTraining) {
  expect_program_fault(5, command("--set data.batch_size=1000000 --set model.layers=400"),
                       {"GB", "tokens", "data.batch_size"});
}

TEST_F(TrainCommand, AModelThatDoesNotFitIntoMemoryIsRefusedBeforeItIsAllocated) {
  expect_program_fault(5, command("--set model.width=65536 --set model.heads=16 --set model.layers=10000"),
                       {"GB", "model.width", "model.layers"});
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(TrainCommand, ThePageIsWrittenAtTheFirstValidation) {
  for (const char* seconds : {"0.3", "1", "3", "10", "30"}) {  // slow under a sanitizer or emulator
    run_program(command("--set train.steps=1000000000"), fmt::format("timeout -s KILL {}", seconds));
    if (fs::exists(folder / "out" / "training.html")) break;
  }
  // The chart of the loss has the series of the validations.
  EXPECT_TRUE(contains(read_file(folder / "out" / "training.html"), ">validation</text>"));
}

TEST_F(TrainCommand, TrainsMeasuresAndWrites) {
  const Outcome trained = run_program(command());
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  expect_values(trained.out, {out(), "60", "training.html", "locus eval", "locus generate"});
  EXPECT_EQ(std::ranges::count(trained.out, '\n'), 1) << trained.out;
  expect_values(trained.err, {"6/60", "60/60", "loss", "tokens/s", "validation"});
  EXPECT_EQ(trained.err.find('\r'), std::string::npos) << "lines are overwritten only on a terminal";
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
            "{\"prompt\": \"abc\", \"text\": \"def\", \"finish_reason\": \"length\"}\n"
            "{\"prompt\": \"gh\", \"text\": \"abc\", \"finish_reason\": \"length\"}\n");
  EXPECT_EQ(expect_fine("generate " + out() + " abc gh --max-tokens 3 --beams 2"), "def\nabc\n");
  EXPECT_EQ(expect_fine("generate " + out() + " abc --max-tokens 100").size(), 15u)
      << "the prompt has 3 of 16 positions, the last token needs none, and a line end follows";
  const std::string sampled = "generate " + out() + " abc --max-tokens 9 --temperature 3 --seed ";
  EXPECT_EQ(expect_fine(sampled + "1"), expect_fine(sampled + "1"));
  EXPECT_NE(expect_fine(sampled + "1"), expect_fine(sampled + "2"));
  EXPECT_EQ(expect_fine(sampled + "1 --top-k 1"), "defghabcd\n");
  EXPECT_EQ(expect_fine(sampled + "1 --min-p 1"), "defghabcd\n");
  EXPECT_EQ(expect_fine(sampled + "1 --top-p 0.001"), "defghabcd\n");
}

TEST_F(TrainCommand, TheSameCommandResumesAndAnotherConfigurationIsRefused) {
  expect_fine(command("--set train.steps=40"));
  const std::string metrics = read_file(folder / "out/metrics.jsonl");
  expect_fine(command("--set train.steps=40"));
  EXPECT_EQ(read_file(folder / "out/metrics.jsonl"), metrics) << "all steps are done";
  expect_program_fault(2, command("--set train.steps=40 --set train.learning_rate=0.01"),
                       {quoted("out"), "train.learning_rate", "'0.01'", "'0.02'"});
}

TEST_F(TrainCommand, ARunResumesWithTheSameDataInAnotherPlace) {
  expect_fine(command("--set train.steps=20"));
  fs::create_directory(folder / "moved");
  for (const char* name : {"x.txt", "run.toml"}) fs::rename(folder / name, folder / "moved" / name);
  const std::string moved =
      "train " + (folder / "moved/run.toml").string() + " --out " + out() + " --set train.steps=20";
  expect_fine(moved);
  put(folder / "moved/x.txt", std::string(480, 'x'));
  expect_program_fault(2, moved, {quoted("out"), "training-data.txt"});
  fs::remove(folder / "moved/x.txt");
  expect_program_fault(4, moved, {"data.train", "moved/x.txt'", "LOCUS_DATA"});
}

// Sends a signal to a run as soon as it adds to the metrics, and returns its exit code.
int end_by(const std::string& signal, const std::string& arguments, const fs::path& metrics) {
  const auto size = fs::exists(metrics) ? fs::file_size(metrics) : 0;
  const std::string script = fmt::format(
      "{} {} >/dev/null 2>&1 & while kill -0 $! && [ \"$(stat -c %s {} 2>/dev/null || echo 0)\" -le {} ]; "
      "do sleep 0.01; done; kill -{} $!; wait $!",
      LOCUS_PROGRAM, arguments, metrics.string(), size, signal);
  const int status = std::system(script.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(TrainCommand, ARunThatASignalStopsSavesAndResumes) {
  const std::string many = command("--set train.steps=1000000 --set train.eval_every=0");
  EXPECT_EQ(end_by("INT", many, folder / "out/metrics.jsonl"), 130);
  const int64_t step = read_state(folder / "out/last").step;
  EXPECT_GT(step, 0);
  EXPECT_TRUE(fs::exists(folder / "out/training.html"));
  EXPECT_EQ(end_by("TERM", many, folder / "out/metrics.jsonl"), 143);
  EXPECT_GT(read_state(folder / "out/last").step, step);
}

TEST_F(TrainCommand, BadInputIsNamed) {
  {
    const RunFolder locked(folder / "out");
    expect_program_fault(4, command(), {quoted("out"), std::to_string(::getpid())});
  }
  // The norm divides rows whose variance underflows by zero.
  const Outcome diverged =
      run_program(command("--set model.init_std=1e-30 --set model.norm_eps=0 --set model.scheme.name=none"));
  EXPECT_EQ(diverged.exit_code, 6);
  expect_values(diverged.err, {"step 1", "nan"});
  expect_program_fault(2, command("--set train.eps=0"), {"[train]", "eps", "'0'"});
  expect_program_fault(2, command("--set train.stepz=3"), {"[train]", "'stepz'", "'steps'"});
  expect_program_fault(2, command("--set steps"), {"'steps'", "key=value"});
  expect_program_fault(2, "train " + (folder / "run.toml").string(), {"--out"});
  expect_program_fault(4, "train /nowhere.toml --out " + out(), {"'/nowhere.toml'"});
  put(folder / "bad.toml", "[model\n");
  expect_program_fault(3, "train " + (folder / "bad.toml").string() + " --out " + out(), {"bad.toml:1"});
  expect_program_fault(3, command("--set data.context=1000"),
                       {quoted("x.txt"), "0", "384", "384 tokens", "1001"});
  const Outcome too_short = run_program(command("--set model.max_length=8"));
  EXPECT_EQ(too_short.exit_code, 3);
  expect_values(too_short.err, {"learned", "token 8", "sequence 0", "position 8"});
  expect_program_fault(2, command("--set model.kind=encoder"), {"next_token", "encoder"});
  expect_program_fault(4, "train " + (folder / "run.toml").string() + " --out /proc/x", {"'/proc/x/steps'"});
}

TEST_F(TrainCommand, EverySampleHasAMaskedToken) {
  expect_fine(
      command("--set model.kind=encoder --set model.head=masked_token --set data.mask_rate=0.001 --set "
              "data.batch_size=1 --set data.validation_split=0"));
}

TEST_F(TrainCommand, EvalAndGenerateNameBadInput) {
  expect_program_fault(4, "eval /nowhere x", {"'/nowhere'", "folder"});
  expect_program_fault(3, "generate " + folder.path().string() + " x",
                       {"'" + folder.path().string() + "'", "checkpoint", "config.json"});
  expect_values(expect_fine(command("--set train.steps=1")), {out(), "1"});
  expect_program_fault(4, "eval " + out() + " /nowhere.txt", {"'/nowhere.txt'"});
  expect_program_fault(3, "generate " + out() + " ''", {"text 1", "tokens"});
  expect_program_fault(2, "generate " + out() + " x --top-p 2", {"generate", "top_p", "'2'"});
  expect_program_fault(2, "generate " + out() + " x --repetition-penalty 0",
                       {"generate", "repetition_penalty", "'0'"});
  expect_program_fault(2, "generate " + out() + " x --beams 2 --top-k 2",
                       {"generate", "--beams", "--repetition-penalty"});
  expect_program_fault(2, "generate " + out() + " x --beams 2000", {"--beams", "2000"});
  expect_program_fault(2, "generate " + out() + " x --stop ''", {"generate", "--stop", "empty"});
  expect_program_fault(3, "generate " + out() + " abcdefghabcdefghx", {"text 1", "17", "16"});
  std::string weights = read_file(folder / "out/last/model.safetensors");
  weights.back() = static_cast<char>(weights.back() ^ 1);
  put(folder / "out/last/model.safetensors", weights);
  expect_program_fault(3, "eval " + out() + "/last " + (folder / "x.txt").string(),
                       {"out/last/model.safetensors'"});
}

TEST_F(TrainCommand, ADamagedBestCheckpointIsReplacedAndReported) {
  expect_fine(command("--set train.steps=4 --set train.save_every=2 --set train.eval_every=0"));
  put(folder / "out/best/model.safetensors", "x");
  const Outcome outcome = run_program("eval " + out() + " " + (folder / "x.txt").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_values(outcome.err, {"out/best/model.safetensors'", "out/steps/00000002'"});
}

TEST_F(TrainCommand, ARunDoesNotStopIfThePageCannotBeWritten) {
  expect_fine(command("--set train.steps=2"));
  std::string metrics = read_file(folder / "out/metrics.jsonl");
  metrics[0] = 'x';
  put(folder / "out/metrics.jsonl", metrics);
  const Outcome outcome = run_program(command("--set train.steps=2"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_values(outcome.err, {"training.html", "metrics.jsonl:1", "JSON"});
}

TEST_F(TrainCommand, WordsAndQuestionsFromFiles) {
  put(folder / "tags.tsv", "the dog ran\tD N V\na cat sat\tD N V\nit ran\tN V\n");
  const std::string model = "--set model.kind=encoder --set data.validation_split=0 --set data.context=32 ";
  const std::string trained = expect_fine(
      command(model + "--set model.head=token_class --set data.train=" + (folder / "tags.tsv").string()));
  expect_values(trained, {out(), "locus eval", "locus tag"});
  const std::string tags = expect_fine("eval " + out() + " " + (folder / "tags.tsv").string() + " --json");
  EXPECT_NE(tags.find("\"accuracy\": 1,"), std::string::npos) << tags;
  EXPECT_NE(tags.find("\"f1\": 1,"), std::string::npos) << tags;
  put(folder / "other.tsv", "it\tX\n");
  expect_program_fault(3, "eval " + out() + " " + (folder / "other.tsv").string(),
                       {quoted("other.tsv"), "'X'", "3"});
  expect_program_fault(3, "generate " + out() + " x", {quoted("out"), "token_class", "next_token"});

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
