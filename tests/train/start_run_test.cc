// Runs that start from a model folder or a run with another scheme, head, dropout, or with frozen parameters.
#include <gtest/gtest.h>

#include "locus/run/run_folder.h"
#include "locus/train/derived_model.h"
#include "locus/train/export_run.h"
#include "locus/train/run_plan.h"
#include "tests/train/hub_run.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTwoSteps = "[train]\nsteps = 2\nlearning_rate = 0.001\n";

class StartRun : public HubRun {
 protected:
  explicit StartRun(const std::string& family = "bert") : HubRun(family) {
    add_letters();
    put(folder / "x.tsv", "a b c\tup\nc b a\tdown\na d e\tup\ne d a\tdown\n");
    std::string text;
    for (int i = 0; i < 40; ++i) text += "a b c d e f ";
    put(folder / "x.txt", text);
  }
  std::string file(const char* name) const { return (folder / name).string(); }
  Outcome train_as(const std::string& toml, const std::string& out, const std::string& more = "") const {
    put(folder / "next.toml", toml);
    return run_program("train " + file("next.toml") + " --out " + file(out.c_str()) + " " + more);
  }
  // The parameters of both models are equal, but for those with this text in their names.
  static void expect_equal_but(const Model& a, const Model& b, std::string_view part) {
    for (const auto& [name, var, role, owner] : a.parameters().all()) {
      if (name.find(part) != std::string::npos) continue;
      EXPECT_EQ(var.value().values(), b.parameters().at(name).value().values()) << name;
    }
  }
};

TEST_F(StartRun, AnotherSchemeReplacesThatOfAFolder) {
  config(model.path().string(),
         "[model.scheme]\nname = 't5'\nbuckets = 8\n[data]\ntrain = 'x.txt'\ncontext = 12\n");
  RunPlan planned = plan();
  EXPECT_FALSE(planned.start);
  EXPECT_EQ(planned.task.blueprint.scheme, "t5");
  EXPECT_EQ(planned.task.blueprint.scheme_options.at("buckets"), "8");
  ASSERT_EQ(planned.notes.size(), 1u);
  expect_named(planned.notes[0], {"t5", "learned", "encoder.scheme.table"});
  const Model swapped = initial_model(planned);
  EXPECT_TRUE(swapped.parameters().has("encoder.scheme.table") || swapped.parameters().all().size() > 10);
  expect_equal_but(swapped, open_model(model.path()).model, ".scheme.");
}

TEST_F(StartRun, WithoutANameTheOptionsOfThePresentSchemeChange) {
  const FolderOf rotary("llama");
  fs::copy(model / "vocab.txt", rotary / "vocab.txt");
  const Blueprint own = open_model(rotary.path()).architecture.blueprint;
  config(rotary.path().string(),
         "[model.scheme]\nscaling = 'linear'\nfactor = 2\n[data]\ntrain = 'x.txt'\ncontext = 6\n");
  const RunPlan planned = plan();
  const Blueprint& b = planned.task.blueprint;
  EXPECT_EQ(b.scheme, "rotary");
  EXPECT_EQ(b.scheme_options.at("scaling"), "linear");
  EXPECT_EQ(b.scheme_options.at("base"), own.scheme_options.at("base"));
}

// Folder -> another scheme -> train -> eval. GPT-NeoX and others have rotary, no family has kerple.
class StartFromGpt2 : public StartRun {
 protected:
  StartFromGpt2() : StartRun("gpt2") {}
  std::string toml(const std::string& scheme) const {
    return "[model]\nfrom = '" + model.path().string() + "'\n[model.scheme]\nname = '" + scheme +
           "'\n[data]\ntrain = 'x.txt'\ncontext = 12\n[train]\nsteps = 30\nlearning_rate = 0.02\n";
  }
};

TEST_F(StartFromGpt2, TheResultIsExportedIfAFamilyHasTheScheme) {
  const Outcome outcome = train_as(toml("rotary"), "out");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_named(outcome.err, {"rotary", "learned", "decoder.scheme.table"});
  expect_named(outcome.out, {"out/hub"});
  const ModelFolder hub = open_model(folder / "out/hub");
  EXPECT_EQ(hub.architecture.blueprint.scheme, "rotary");
  EXPECT_EQ(load_tokenizer(file("out/hub"))->encode("a b f"), (std::vector<int32_t>{5, 6, 10}));
  EXPECT_EQ(run_program("eval " + file("out/hub") + " " + file("x.txt")).exit_code, 0);
  // The same command resumes, and does not change the result.
  const std::string weights = read_file(folder / "out/hub/model.safetensors");
  EXPECT_EQ(train_as(toml("rotary"), "out").exit_code, 0);
  EXPECT_EQ(read_file(folder / "out/hub/model.safetensors"), weights);
}

TEST_F(StartFromGpt2, OtherwiseTheRunEndsWithANote) {
  const Outcome outcome = train_as(toml("kerple"), "out");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_named(outcome.err, {"kerple", "scheme.name"});
  EXPECT_FALSE(fs::exists(folder / "out/hub"));
  EXPECT_FALSE(fs::exists(folder / "out/hub.new.part"));
  EXPECT_EQ(load_run(folder / "out").model.blueprint().scheme, "kerple");
  EXPECT_EQ(run_program("eval " + file("out") + " " + file("x.txt")).exit_code, 0);
}

TEST_F(StartFromGpt2, NamesFieldsOfTheFolderThatAreNotRead) {
  model.change("\"model_type\"", "\"attention_chunk_size\": 8, \"model_type\"");
  config(model.path().string(), "[data]\ntrain = 'x.txt'\ncontext = 12\n");
  const RunPlan planned = plan();
  ASSERT_EQ(planned.notes.size(), 1u);
  expect_named(planned.notes[0], {"attention_chunk_size", "8"});
}

TEST_F(StartFromGpt2, DropoutIsThatOfTheSettings) {
  put(folder / "next.toml", "");
  config(model.path().string(),
         "dropout = 0.25\nattention_dropout = 0.5\n[data]\ntrain = 'x.txt'\ncontext = 12\n" +
             std::string(kTwoSteps));
  RunPlan planned = plan();
  EXPECT_EQ(planned.task.blueprint.dropout, 0.25f);
  EXPECT_TRUE(planned.notes.empty());
  expect_equal_but(initial_model(planned), open_model(model.path()).model, "nothing");
  ASSERT_EQ(train().exit_code, 0);
  const Config saved(folder / "out/hub/config.json");
  EXPECT_EQ(saved.text("model_type"), "gpt2");
  EXPECT_EQ(saved.number("attn_pdrop", 0, 1), 0.5);
  EXPECT_EQ(saved.number("resid_pdrop", 0, 1), 0.25);
}

TEST_F(StartFromGpt2, FrozenParametersStayThoseOfTheFolder) {
  config(model.path().string(), "[data]\ntrain = 'x.txt'\ncontext = 12\nrecompute = true\n" +
                                    std::string(kTwoSteps) +
                                    "frozen = 'tokens, decoder.scheme.*, decoder.layers.0.*'\n");
  ASSERT_EQ(train().exit_code, 0);
  const Model before = std::move(open_model(model.path()).model),
              after = std::move(load_run(folder / "out").model);
  for (const auto& [name, var, role, owner] : after.parameters().all()) {
    const bool frozen =
        name == "tokens" || name.starts_with("decoder.scheme.") || name.starts_with("decoder.layers.0.");
    EXPECT_EQ(var.value().values() == before.parameters().at(name).value().values(), frozen) << name;
  }
  const Outcome all = train("--set train.frozen=\\*");
  EXPECT_EQ(all.exit_code, 2);
  expect_named(all.err, {"train.frozen", "'*'"});
}

class StartFromRun : public StartRun {
 protected:
  StartFromRun() {
    const Outcome outcome = train_as(
        "[model]\nkind = 'encoder'\nhead = 'sequence_class'\nwidth = 16\nlayers = 1\nheads = "
        "2\n[model.scheme]\n"
        "name = 'learned'\n[data]\ntrain = 'x.tsv'\ncontext = 24\n" +
            std::string(kTwoSteps),
        "first");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
};

TEST_F(StartFromRun, ModelTokenizerAndContextComeFromTheRun) {
  for (const char* from : {"first", "first/last"}) {
    config(from, "[data]\ntrain = 'x.tsv'\n");
    RunPlan planned = plan();
    EXPECT_EQ(planned.task.data.context, 24);
    EXPECT_EQ(planned.task.blueprint.scheme, "learned");
    EXPECT_EQ(planned.task.labels, (std::vector<std::string>{"down", "up"}));
    EXPECT_EQ(planned.training->at(0, 0).ids.front(), 256) << "<s>, as in the run";
    expect_equal_but(initial_model(planned), load_run(folder / "first").model, "nothing");
  }
  EXPECT_EQ(train("--set train.steps=2").exit_code, 0);
  EXPECT_FALSE(fs::exists(folder / "out/hub")) << "only runs from a folder write one";
  EXPECT_EQ(train("--set train.steps=2").exit_code, 0) << "resumes";
}

TEST_F(StartFromRun, ANewHeadAndANewScheme) {
  put(folder / "y.tsv", "ab c\tX Y\n");
  config("first",
         "head = 'token_class'\n[model.scheme]\nname = 'alibi'\n[data]\ntrain = 'y.tsv'\ncontext = 99\n");
  RunPlan planned = plan();
  EXPECT_EQ(planned.task.blueprint.head.kind, HeadKind::token_class);
  EXPECT_EQ(planned.task.blueprint.max_length, 99) << "alibi extrapolates";
  const Model fresh = initial_model(planned), source = std::move(load_run(folder / "first").model);
  for (const auto& [name, var, role, owner] : fresh.parameters().all()) {
    if (name.starts_with("head.out.")) continue;
    EXPECT_EQ(var.value().values(), source.parameters().at(name).value().values()) << name;
  }
  EXPECT_FALSE(fresh.parameters().has("encoder.scheme.table"));
  EXPECT_NE(fresh.parameters().at("head.out.weight").value().values(),
            source.parameters().at("head.out.weight").value().values());
  ASSERT_EQ(train("--set train.steps=2").exit_code, 0);
  EXPECT_EQ(run_program("tag " + file("out") + " 'ab c'").exit_code, 0);
}

TEST_F(StartFromRun, InvalidSettingsAreErrors) {
  config("first", "[data]\ntrain = 'x.tsv'\ncontext = 25\n");
  expect_refused(Fault::data, {"data.context is 25", "24"});
  config("first", "width = 32\n[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::usage, {"width"});
  config("first", "head = 'none'\n[data]\ntrain = 'x.tsv'\n");
  expect_refused(Fault::usage, Code::wrong_head, {"none"});
  config("first", "head = 'next_token'\n[data]\ntrain = 'x.txt'\n");
  expect_refused(Fault::usage, {"next_token"});
  put(folder / "z.tsv", "a\tother\n");
  config("first", "[data]\ntrain = 'z.tsv'\n");
  expect_refused(Fault::data, {"'other'", "down", "up", "model.head"});
}

}  // namespace
}  // namespace locus
