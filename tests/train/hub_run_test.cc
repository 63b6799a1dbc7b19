// Training that starts from a Hugging Face model folder: tiny golden folders with a vocabulary of letters.
#include "locus/train/hub_run.h"

#include <gtest/gtest.h>

#include "locus/nn/generate.h"
#include "locus/run/saved_run.h"
#include "locus/text/character_vocabulary.h"
#include "tests/text/piece_bytes.h"
#include "tests/train/hub_run.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class HubRunOfLetters : public HubRun {
 protected:
  explicit HubRunOfLetters(const std::string& family = "bert") : HubRun(family) {
    add_letters();
    put(folder / "x.tsv", "a b c\tup\nc b a\tdown\na d e\tup\ne d a\tdown\nb c d\tup\nd c b\tdown\n");
  }
  // The exported folder has the trained weights.
  void expect_same_logits(const std::vector<int32_t>& ids) const {
    const SavedRun run = load_run(folder / "out");
    const ModelFolder hub = open_model(folder / "out" / "hub");
    const NoGrad guard;
    const Tokens tokens = tokens_of({ids}, run.model.blueprint());
    EXPECT_EQ(hub.model(tokens).value().values(), run.model(tokens).value().values());
  }
};

constexpr const char* kLabels = "head = 'sequence_class'\n[data]\ntrain = 'x.tsv'\nbatch_size = 6\n";
constexpr const char* kSteps = "[train]\nsteps = 40\nlearning_rate = 0.02\n";

TEST_F(HubRunOfLetters, ABertLearnsLabelsUnderANewHead) {
  config(model.path().string(), std::string(kLabels) + kSteps);
  expect_trained();
  expect_same_logits({2, 5, 6, 7, 3});
  const Config saved(folder / "out" / "hub" / "config.json");
  EXPECT_EQ(saved.text("architectures.0"), "BertForSequenceClassification");
  EXPECT_EQ(named_labels(saved), (std::vector<std::string>{"down", "up"}));
  EXPECT_EQ(read_file(folder / "out" / "hub" / "vocab.txt"), read_file(model / "vocab.txt"));
  EXPECT_EQ(read_file(folder / "out" / "hub" / "config.json").find("num_labels"), std::string::npos);

  // A finished run does not change. The exported folder can be trained further with its own head.
  const std::string weights = read_file(folder / "out" / "hub" / "model.safetensors");
  EXPECT_EQ(train().exit_code, 0);
  EXPECT_EQ(read_file(folder / "out" / "hub" / "model.safetensors"), weights);
  const Outcome other = train("--set train.learning_rate=0.5");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("train.learning_rate"), std::string::npos) << other.err;
  fs::rename(folder / "out" / "hub", folder / "tuned");
  fs::remove_all(folder / "out");
  config("tuned", "[data]\ntrain = 'x.tsv'\nbatch_size = 6\n[train]\nsteps = 1\n");
  const RunPlan again = plan();
  EXPECT_TRUE(again.start->changes.empty()) << "no new head";
  EXPECT_EQ(again.task.labels, (std::vector<std::string>{"down", "up"}));
}

TEST_F(HubRunOfLetters, SamplesHaveTheSpecialTokensOfTheTokenizer) {
  config(model.path().string(), kLabels);
  RunPlan planned = plan();
  EXPECT_EQ(planned.training->at(0, 0).ids, (std::vector<int32_t>{2, 5, 6, 7, 3})) << "[CLS] a b c [SEP]";
  EXPECT_EQ(planned.task.data.context, 14) << "at most the model's context window";
  put(folder / "x.tsv", "ab c\tX Y\n");
  config(model.path().string(), "head = 'token_class'\n[data]\ntrain = 'x.tsv'\n");
  planned = plan();
  EXPECT_EQ(planned.training->at(0, 0).ids, (std::vector<int32_t>{2, 1, 7, 3}));
  EXPECT_EQ(planned.training->at(0, 0).targets, (std::vector<int32_t>{-100, 0, 1, -100}));
}

TEST_F(HubRunOfLetters, InvalidSettingsAreErrors) {
  config(model.path().string(), std::string("width = 8\n") + kLabels);
  expect_refused(Fault::usage, {"width"});
  config(model.path().string(), "[model.scheme]\nname = 'alibbi'\n[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::usage, {"'alibbi'", "'alibi'"});
  config(model.path().string(), "[model.scheme]\nname = 't5'\nbuckets = -1\n[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::usage, {"buckets", "'-1'"});
  config(model.path().string(), "[model.scheme]\nname = 't5'\nbase = 3\n[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::usage, {"'base'", "t5"});
  config(model.path().string(), "dropout = 2\n[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::usage, {"dropout", "'2'"});
  config(model.path().string(), std::string(kLabels) + "context = 15\n");
  expect_refused(Fault::data, {"data.context is 15", "14", model.path().c_str()});
  config(model.path().string(), "head = 'embedding'\n[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::usage, Code::wrong_head,
                 {"model.head is embedding", model.path().c_str(), "masked_token", "sequence_class",
                  "token_class", "answer"});
  config("nowhere", kLabels);
  expect_refused(Fault::io, Code::missing_file, {"model.from", (folder / "nowhere").c_str(), "run"});
  config("someone/model", kLabels);
  expect_refused(Fault::io, Code::missing_file, {"model.from", "someone/model", "hf download"});
  config(".", kLabels);
  expect_refused(Fault::data, Code::missing_file, {"model.from", "config.json", "checkpoint"});
  config("x.tsv", kLabels);
  expect_refused(Fault::data, Code::missing_file, {"model.from", (folder / "x.tsv").c_str(), "file"});
  const FolderOf labeled("bert-class");
  fs::copy(model / "vocab.txt", labeled / "vocab.txt");
  config(labeled.path().string(), "[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::data, {"x.tsv", "'down'", labeled.path().c_str(), "LABEL_0", "LABEL_1", "LABEL_2",
                               "LABEL_3", "LABEL_4", "model.head"});
  const FolderOf writer("t5");
  config(writer.path().string(),
         "head = 'sequence_class'\n[data]\ntrain = 'x.tsv'\ntokenizer = '" + model.path().string() + "'\n");
  expect_refused(Fault::usage, Code::wrong_head,
                 {"model.head is sequence_class", writer.path().c_str(), "next_token"});
}

class HubRunOfGpt2 : public HubRunOfLetters {
 protected:
  HubRunOfGpt2() : HubRunOfLetters("gpt2") {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "a b c d e f ";
    put(folder / "x.txt", text);
  }
};

TEST_F(HubRunOfGpt2, TrainsItsOwnHeadFurther) {
  config(model.path().string(),
         "[data]\ntrain = 'x.txt'\ncontext = 12\nvalidation_split = 0.2\n[train]\nsteps = 40\nlearning_rate "
         "= 0.02\n"
         "eval_every = 20\n");
  expect_trained();
  expect_same_logits({5, 6, 7, 8});
  EXPECT_EQ(Config(folder / "out" / "hub" / "config.json").text("architectures.0"), "GPT2LMHeadModel");
}

// A tokenizer of Locus in the folder is one of the files that the export keeps.
TEST_F(HubRunOfGpt2, ExportsATokenizerOfLocus) {
  fs::remove(model / "vocab.txt");
  const CharacterVocabulary letters = CharacterVocabulary::of_text("abcdef ");
  letters.save(model.path());
  config(model.path().string(), "[data]\ntrain = 'x.txt'\ncontext = 12\n[train]\nsteps = 1\n");
  EXPECT_EQ(train().exit_code, 0);
  EXPECT_EQ(load_tokenizer((folder / "out" / "hub").string())->encode("abc"), letters.encode("abc"));
}

class HubRunOfPieces : public HubRun {
 protected:
  HubRunOfPieces() : HubRun("deberta-v2") {
    std::string bytes;
    for (const char* name : {"[PAD]", "[CLS]", "[SEP]"}) bytes += piece(name, 0, SentencePiece::control);
    bytes += piece("[UNK]", 0, SentencePiece::unknown);
    for (const char* letter : {"▁a", "▁b", "▁c", "▁d", "▁e"}) bytes += piece(letter, -2);
    put(model / "spm.model", bytes);
    put(folder / "x.tsv", "a b c\tup\nc b a\tdown\na d e\tup\ne d a\tdown\nb c d\tup\nd c b\tdown\n");
  }
};

TEST_F(HubRunOfPieces, TheirFileIsSavedAndExported) {
  config(model.path().string(), std::string(kLabels) + kSteps);
  EXPECT_EQ(plan().training->at(0, 0).ids, (std::vector<int32_t>{1, 4, 5, 6, 2})) << "[CLS] a b c [SEP]";
  expect_trained();
  EXPECT_EQ(read_file(folder / "out" / "hub" / "spm.model"), read_file(model / "spm.model"));
  for (const char* place : {"out", "out/hub"}) {
    const Outcome outcome = run_program("classify " + (folder / place).string() + " 'a d e' 'e d a'");
    const size_t first = outcome.out.find("\tup\t"), second = outcome.out.find("\tdown\t");
    EXPECT_LT(first, second) << outcome.out << outcome.err;
    EXPECT_NE(second, std::string::npos) << outcome.out;
  }
}

TEST_F(HubRunOfPieces, AnotherTokenizerReplacesTheFoldersOwn) {
  const FolderOf start("bert");
  put(start / "vocab.txt", "[UNK]\na\nb\n");
  put(start / "source.spm", "beside a vocab.json the first to be opened");
  config(start.path().string(),
         std::string(kLabels) + "tokenizer = '" + model.path().string() + "'\n[train]\nsteps = 1\n");
  EXPECT_EQ(train().exit_code, 0);
  EXPECT_EQ(load_tokenizer(folder / "out" / "hub")->encode("a b"), (std::vector<int32_t>{4, 5}));
  EXPECT_FALSE(fs::exists(folder / "out" / "hub" / "source.spm"));
}

// A new head leaves all other weights unchanged, and its initialization is a function of the seed.
TEST(NewHeads, TheBodyComesFromTheFolder) {
  const FolderOf labeled("bert-class");
  const ModelFolder own = open_model(labeled.path());
  const NewHead head = {.kind = HeadKind::token_class, .labels = {"x", "y", "z"}, .seed = 3};
  const ModelFolder tags = open_model(labeled.path(), head), again = open_model(labeled.path(), head);
  EXPECT_EQ(tags.architecture.blueprint.head.labels, 3);
  for (const auto& [name, var, role, owner] : tags.model.parameters().all()) {
    const Tensor& value = var.value();
    EXPECT_EQ(value.values(), again.model.parameters().at(name).value().values()) << name;
    if (name.starts_with("head.")) continue;
    EXPECT_EQ(value.values(), own.model.parameters().at(name).value().values()) << name;
  }
  EXPECT_EQ(tags.model.parameters().at("head.out.weight").shape(), (Shape{3, 12}));
  const TemporaryFolder saved;
  save_model(tags, saved.path());
  EXPECT_EQ(named_labels(Config(saved / "config.json")), head.labels);
  EXPECT_EQ(open_model(saved.path()).model.parameters().at("head.out.weight").value().values(),
            tags.model.parameters().at("head.out.weight").value().values());
  // An unknown tensor is an error with a new head, too.
  std::vector<NamedTensor> tensors = labeled.tensors();
  tensors.emplace_back("bert.encoder.adapter.weight", Tensor::zeros({2}));
  labeled.write(tensors);
  expect_error(Fault::data, {"bert.encoder.adapter.weight"}, [&] { open_model(labeled.path(), head); });
  expect_error(Fault::data, {"architectures.0"},
               [&] { open_model(labeled.path(), NewHead{.kind = HeadKind::next_token}); });
}

}  // namespace
}  // namespace locus
