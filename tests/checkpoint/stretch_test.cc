// Context extension: what is written, what stays unchanged, and errors. tools/parity.py checks that
// transformers opens the result.
#include "locus/checkpoint/stretch.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"
#include "tests/program.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

ModelFolder golden(const std::string& family) {
  return open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
}

Tensor table_of(const ModelFolder& folder, const std::string& name) {
  return folder.model.parameters().at(name).value();
}

TEST(Stretch, InterpolatesALearnedTable) {
  const TemporaryFolder to;
  const ModelFolder before = golden("bert");
  stretch_model(before, 27, Stretch::interpolate, to.path());  // 14 rows: every second new row is an old one
  const ModelFolder after = open_model(to.path());
  const Tensor old = table_of(before, "encoder.scheme.table"),
               fresh = table_of(after, "encoder.scheme.table");
  ASSERT_EQ(fresh.shape(), (Shape{27, 12}));
  EXPECT_EQ(after.architecture.blueprint.max_length, 27);
  for (int64_t i = 0; i < 27; ++i) {
    for (int64_t c = 0; c < 12; ++c) {
      const float low = old.view().row<float>(i / 2)[c], high = old.view().row<float>((i + 1) / 2)[c];
      EXPECT_FLOAT_EQ(fresh.view().row<float>(i)[c], i % 2 == 0 ? low : (low + high) / 2);
    }
  }
}

TEST(Stretch, RepeatsATableAfterItsUnusedRows) {
  const TemporaryFolder to;
  const ModelFolder before = golden("roberta");  // 3 rows, then 13
  stretch_model(before, 20, Stretch::repeat, to.path());
  const ModelFolder after = open_model(to.path());
  const Tensor old = table_of(before, "encoder.scheme.table"),
               fresh = table_of(after, "encoder.scheme.table");
  ASSERT_EQ(old.shape(), (Shape{16, 12}));
  ASSERT_EQ(fresh.shape(), (Shape{23, 12}));
  for (int64_t i = 0; i < 23; ++i) {
    EXPECT_EQ(fresh.rows(i, i + 1).values(),
              old.rows(i < 16 ? i : i - 13, (i < 16 ? i : i - 13) + 1).values())
        << i;
  }
}

TEST(Stretch, StretchesTheTableThatIsOneOfTwoSchemes) {
  const TemporaryFolder to;
  stretch_model(golden("mpnet"), 30, Stretch::interpolate, to.path());
  EXPECT_EQ(table_of(open_model(to.path()), "encoder.scheme.learned.table").shape(), (Shape{32, 12}));
}

TEST(Stretch, StretchesBothTablesOfAnEncoderDecoder) {
  const TemporaryFolder to;
  stretch_model(golden("bart"), 30, Stretch::interpolate, to.path());
  const ModelFolder after = open_model(to.path());
  EXPECT_EQ(table_of(after, "encoder.scheme.table").shape(), (Shape{32, 12}));
  EXPECT_EQ(table_of(after, "decoder.scheme.table").shape(), (Shape{32, 12}));
}

TEST(Stretch, GivesRotaryModelsAScaling) {
  const auto options = [](Stretch how) {
    const TemporaryFolder to;
    stretch_model(golden("mistral"), 128, how, to.path());  // from 32
    const Blueprint b = open_model(to.path()).architecture.blueprint;
    EXPECT_EQ(b.max_length, 128);
    return b.scheme_options;
  };
  OptionValues linear = options(Stretch::linear), yarn = options(Stretch::yarn), ntk = options(Stretch::ntk);
  EXPECT_EQ(linear["scaling"], "linear");
  EXPECT_EQ(linear["factor"], "4");
  EXPECT_EQ(linear["base"], "300");
  EXPECT_EQ(yarn["scaling"], "yarn");
  EXPECT_EQ(yarn["original_length"], "32");
  EXPECT_FALSE(ntk.contains("scaling"));
  EXPECT_EQ(ntk["base"], "2400");  // 300 * 4^(6/4)
}

TEST(Stretch, KeepsTheRotatedPart) {
  const TemporaryFolder to;
  stretch_model(golden("neox"), 64, Stretch::linear, to.path());
  EXPECT_EQ(open_model(to.path()).architecture.blueprint.scheme_options.at("width"), "4");
}

TEST(Stretch, LeavesTheRotationOfLayersWithAWindow) {
  const TemporaryFolder to;
  const ModelFolder before = golden("modernbert");
  stretch_model(before, 64, Stretch::yarn, to.path());  // from 32
  const Blueprint b = open_model(to.path()).architecture.blueprint;
  EXPECT_EQ(b.max_length, 64);
  EXPECT_EQ(b.scheme_options, before.architecture.blueprint.scheme_options);
  EXPECT_EQ(b.global.scheme_options.at("base"), "500");
  EXPECT_EQ(b.global.scheme_options.at("scaling"), "yarn");
  EXPECT_EQ(b.global.scheme_options.at("factor"), "2");
}

TEST(Stretch, StretchesBothKindsOfLayersWhereTheyRotateAlike) {
  const FolderOf folder("gemma3");
  folder.change("\"linear\"", "\"default\"");
  folder.change("700.0", "60.0");
  stretch_model(open_model(folder.path()), 64, Stretch::linear, folder / "longer");
  const Blueprint b = open_model(folder / "longer").architecture.blueprint;
  EXPECT_EQ(b.global.scheme, "");
  EXPECT_EQ(b.scheme_options.at("scaling"), "linear");
  EXPECT_EQ(b.scheme_options.at("base"), "60");
}

// config.json of these families has no field for a scaling.
TEST(Stretch, RefusesFamiliesWhoseRotationIsFixed) {
  for (const auto& [family, name] : {std::pair("roformer", "RoFormer"), {"gptj", "GPT-J"}}) {
    const TemporaryFolder to;
    for (const Stretch how : {Stretch::ntk, Stretch::yarn}) {
      expect_bad_data({name, "scaling"}, [&] { stretch_model(golden(family), 64, how, to / "longer"); });
    }
  }
}

TEST(Stretch, WritesNothingThatTheFamilyCannotRepresent) {
  const FolderOf folder("phi3");
  folder.change("\"longrope\"", "\"default\"");
  expect_bad_data(Code::unsupported_field, {"yarn", "longrope"},
                  [&] { stretch_model(open_model(folder.path()), 64, Stretch::yarn, folder / "longer"); });
  EXPECT_FALSE(fs::exists(folder / "longer"));
  stretch_model(open_model(folder.path()), 64, Stretch::ntk, folder / "longer");
  EXPECT_EQ(open_model(folder / "longer").architecture.blueprint.scheme_options.at("width"), "4");
}

TEST(Stretch, LeavesLayersWithoutPositionsAsTheyAre) {
  const TemporaryFolder to;
  stretch_model(golden("smollm3"), 64, Stretch::yarn, to.path());
  const Blueprint b = open_model(to.path()).architecture.blueprint;
  EXPECT_EQ(b.scheme_options.at("scaling"), "yarn");
  EXPECT_EQ(b.global.scheme, "none");
}

TEST(Stretch, RefusesWhatDoesNotSuit) {
  const TemporaryFolder to;
  const auto refused = [&](const char* family, int64_t length, Stretch how, const Values& values) {
    const ModelFolder folder = golden(family);
    expect_bad_data(values, [&] { stretch_model(folder, length, how, to.path()); });
  };
  refused("bert", 64, Stretch::linear, {"learned", "linear", "interpolate"});
  refused("mistral", 64, Stretch::repeat, {"rotary", "repeat", "yarn"});
  for (const char* family : {"bloom", "t5", "marian", "deberta"}) {
    const ModelFolder folder = golden(family);
    EXPECT_FALSE(has_context_to_stretch(folder.architecture.blueprint));
    refused(family, 64, Stretch::yarn, {folder.architecture.blueprint.scheme.c_str(), "every length"});
  }
  refused("bert", 14, Stretch::repeat, {"length is 14", "14"});
  refused("llama", 64, Stretch::yarn, {"scaling", "llama3"});
  refused("gemma3", 64, Stretch::yarn, {"scaling", "linear"});
  refused("gptj", 64, Stretch::linear, {"GPT-J"});
  const FolderOf own("bert");
  expect_error(Fault::usage, Code::output_exists, {own.path().c_str()},
               [&] { stretch_model(open_model(own.path()), 64, Stretch::repeat, own.path()); });
}

const char* kWords = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n";

// A folder of sentence-transformers, with a limit in each of its files.
TEST(Stretch, RaisesEveryLimitOnTheLength) {
  const FolderOf folder("bert");
  put(folder / "vocab.txt", kWords);
  put(folder / "tokenizer_config.json", R"({"model_max_length": 14, "do_lower_case": true})");
  put(folder / "sentence_bert_config.json", R"({"max_seq_length": 8, "do_lower_case": false})");
  put(folder / "generation_config.json", R"({"max_length": 14, "num_beams": 2})");
  put(folder / "tokenizer.json",
      R"({"version": "1.0", "truncation": {"direction": "Right", "max_length": 9}, "padding": null})");
  folder.change("\"model_type\"", "\"max_length\": 14, \"model_type\"");
  const Stretched done =
      stretch_model(open_model(folder.path()), 40, Stretch::interpolate, folder / "longer");
  const auto limit = [&](const char* file, const char* field) {
    return Config(folder / "longer" / file).integer(field, 0, 1000);
  };
  EXPECT_EQ(limit("config.json", "max_position_embeddings"), 40);
  EXPECT_EQ(limit("config.json", "max_length"), 40);
  EXPECT_EQ(limit("tokenizer_config.json", "model_max_length"), 40);
  EXPECT_EQ(limit("sentence_bert_config.json", "max_seq_length"), 40);
  EXPECT_EQ(limit("generation_config.json", "max_length"), 40);
  EXPECT_EQ(limit("tokenizer.json", "truncation.max_length"), 40);
  const Config truncation(folder / "longer" / "tokenizer.json");
  EXPECT_EQ(truncation.text("truncation.direction"), "Right");
  EXPECT_EQ(truncation.text("version"), "1.0");
  std::vector<std::string> files;
  for (const FileChange& change : done.changes) files.push_back(change.file);
  EXPECT_EQ(files,
            (std::vector<std::string>{"config.json", "model.safetensors", "sentence_bert_config.json",
                                      "tokenizer_config.json", "tokenizer.json", "generation_config.json"}));
}

TEST(Stretch, LeavesLimitsThatAreNotTheContext) {
  const FolderOf folder("gpt2");
  const std::string endless = R"({"model_max_length": 1000000000000000019884624838656})";
  put(folder / "tokenizer_config.json", endless);
  put(folder / "generation_config.json", R"({"max_length": 5})");
  const Stretched done = stretch_model(open_model(folder.path()), 400, Stretch::repeat, folder / "longer");
  EXPECT_EQ(read_file(folder / "longer" / "tokenizer_config.json"), endless);
  EXPECT_EQ(Config(folder / "longer" / "generation_config.json").integer("max_length", 0, 1000), 5);
  EXPECT_EQ(done.changes.size(), 2u) << "config.json and the table";
}

TEST(Stretch, TheLongerSentenceModelReadsTheLongerText) {
  const FolderOf folder("bert");
  put(folder / "vocab.txt", kWords);
  put(folder / "tokenizer_config.json", R"({"model_max_length": 12})");
  put(folder / "sentence_bert_config.json", R"({"max_seq_length": 8})");
  const std::string text = " 'a b a b a b a b a b a b a b a b a b'";  // 20 tokens with [CLS] and [SEP]
  expect_program_fault(3, "embed " + folder.path().string() + text, {"20", "8"});
  const std::string longer = (folder / "longer").string();
  ASSERT_EQ(run_program("stretch " + folder.path().string() + " --length 20 --how repeat --out " + longer)
                .exit_code,
            0);
  EXPECT_EQ(run_program("embed " + longer + text).exit_code, 0);
}

// vocabulary.json with its files, and a rank file alone.
TEST(Stretch, BringsATokenizerOfLocus) {
  for (const bool ranks : {false, true}) {
    const FolderOf folder("gpt2");
    if (ranks) {
      put(folder / "own.tiktoken", "YQ== 0\nYg== 1\n");
    } else {
      put(folder / "vocab.bpe", "#version: 0.2\n");
      put(folder / "encoder.json", R"({"a": 0, "b": 1})");
      put(folder / "vocabulary.json", R"({"kind": "merges", "specials": {}})");
    }
    stretch_model(open_model(folder.path()), 64, Stretch::repeat, folder / "longer");
    for (const char* name : {"own.tiktoken", "vocab.bpe", "encoder.json", "vocabulary.json"}) {
      EXPECT_EQ(fs::exists(folder / "longer" / name), fs::exists(folder / name)) << name;
    }
  }
}

TEST(Stretch, IsACommand) {
  const FolderOf folder("bert");
  const std::string out = (folder / "longer").string();
  const Outcome outcome = run_program(
      fmt::format("stretch {} --length 64 --how interpolate --out {}", folder.path().string(), out));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_values(outcome.out, {"64", "14", "4.571", "interpolate", "config.json", "max_position_embeddings",
                              "model.safetensors", out});
  expect_program_fault(3,
                       "stretch " + (fs::path(LOCUS_GOLDEN) / "family/t5").string() +
                           " --length 64 --how yarn --out " + out + "5",
                       {"t5", "--lengths"});
  EXPECT_EQ(open_model(out).architecture.blueprint.max_length, 64);
  const Outcome wrong =
      run_program(fmt::format("stretch {} --length 64 --how yarm --out {}", folder.path().string(), out));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("'yarn'"), std::string::npos) << wrong.err;
  const Outcome again = run_program(
      fmt::format("stretch {} --length 64 --how interpolate --out {}", folder.path().string(), out));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("'" + out + "'"), std::string::npos) << again.err;
  const Outcome shorter = run_program(
      fmt::format("stretch {} --length -5 --how interpolate --out {}2", folder.path().string(), out));
  EXPECT_EQ(shorter.exit_code, 2);
  EXPECT_NE(shorter.err.find("--length"), std::string::npos) << shorter.err;
}

}  // namespace
}  // namespace locus
