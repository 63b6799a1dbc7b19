// The names people know: other names of commands, options and schemes, letters, and locus help.
#include <gtest/gtest.h>

#include "locus/base/synonyms.h"
#include "tests/cli/text_commands.h"

namespace locus {
namespace {

TEST_F(TextCommands, HelpAndVersionAreAlsoCommands) {
  const std::string program = expect_fine("--help");
  EXPECT_EQ(expect_fine("help"), program);
  EXPECT_EQ(expect_fine("help train"), expect_fine("train --help"));
  EXPECT_EQ(expect_fine("help train embed"), expect_fine("train --help"));
  EXPECT_EQ(expect_fine("version"), expect_fine("--version"));
  EXPECT_EQ(expect_fine("-v"), expect_fine("--version"));
  expect_program_fault(2, "help trian", {"'trian'", "'train'"});
}

TEST_F(TextCommands, HelpIsReadable) {
  const std::string help =
      expect_fine("help similarity") + expect_fine("help generate") + expect_fine("help compare");
  for (const char* noise : {"INT", "UINT", "FLOAT", "TEXT TEXT", "REQUIRED", " in [", "TEXT:{", " ..."}) {
    EXPECT_EQ(help.find(noise), std::string::npos) << noise;
  }
  for (const char* part : {"-n,--top N", "[10]", "-f,--file FILE", "--input-format text|jsonl",
                           "-j,--threads N", "-o,--out PATH", "--length-penalty X"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
}

TEST_F(TextCommands, LettersMeanTheSameAsTheirOptions) {
  const std::string texts = file("x.txt", "the dog\n"), out = (folder / "v.npy").string();
  const std::string embed = "embed " + model("embed");
  expect_fine(embed + " -f " + texts + " -o " + out + " -j 1");
  EXPECT_EQ(expect_fine("similarity " + model("embed") + " --index " + out + " -n1 'the dog'"),
            "1.000000\t0\tthe dog\n");
  EXPECT_EQ(expect_fine("generate " + model("write") + " 'the dog' -n 3"),
            expect_fine("generate " + model("write") + " 'the dog' --max-tokens 3"));
  const std::string manual = expect_fine("manual"), bash = expect_fine("completion bash");
  EXPECT_NE(manual.find("\\-n, \\-\\-top N"), std::string::npos);
  EXPECT_NE(bash.find(" -o --out"), std::string::npos);
}

TEST_F(TextCommands, OtherNamesOfCommandsAndOptions) {
  const auto expect_hint = [](const std::string& arguments, const char* name) {
    expect_program_fault(2, arguments, {"did you mean", name});
  };
  expect_hint("finetune x", "'train'");
  expect_hint("encode x", "'embed'");
  expect_hint("predict x", "'classify'");
  expect_hint("chat x", "'generate'");
  expect_hint("list", "'schemes'");
  expect_hint("generate x --temp 0.8", "'--temperature'");
  expect_hint("generate x --max-new-tokens 8", "'--max-tokens'");
  expect_hint("generate x --max_new_tokens 8", "'--max-tokens'");
  expect_hint("generate x --num_beams 8", "'--beams'");
  expect_hint("similarity x --top-n 8", "'--top'");
  expect_hint("similarity x --top_k 8", "'--top'");
  expect_hint("embed x --output y", "'--out'");
  expect_hint("embed x --batch-size 8", "'--batch-tokens'");
  expect_hint("show rotary --set theta=500000", "'base'");
}

TEST_F(TextCommands, OtherNamesOfSettings) {
  const auto expect_hint = [&](const std::string& setting, const char* name) {
    const std::string config = file("c.toml", "[data]\ntrain = 'x'\n");
    expect_program_fault(2, "train " + config + " --out x --set " + setting + "=1", {"did you mean", name});
  };
  expect_hint("train.lr", "'learning_rate'");
  expect_hint("train.epochs", "'steps'? steps = epochs x samples / batch_size");
  expect_hint("train.gradient_accumulation_steps", "'micro_batches'");
  expect_hint("train.warmup_ratio", "'warmup'");
  expect_hint("data.max_seq_length", "'context'");
  expect_hint("data.gradient_checkpointing", "'recompute'");
  expect_hint("data.mlm_probability", "'mask_rate'");
  expect_hint("model.hidden_size", "'width'");
  expect_hint("model.num_layers", "'layers'");
  expect_hint("model.ffn_dim", "'hidden'");
  expect_hint("model.vocab", "'vocabulary'");
  expect_hint("model.scheme", "'scheme.name'");
  expect_hint("model.positional_encoding", "'scheme.name'");
}

TEST_F(TextCommands, OtherNamesOfSchemes) {
  EXPECT_EQ(expect_fine("schemes RoPE"), expect_fine("schemes rotary"));
  EXPECT_EQ(expect_fine("show rope --json"), expect_fine("show rotary --json"));
  EXPECT_EQ(expect_fine("explain --scheme txl --json"),
            expect_fine("explain --scheme transformer_xl --json"));
  const std::string page = expect_fine("explain --scheme rope");
  EXPECT_EQ(page, expect_fine("explain --scheme rotary"));
  EXPECT_EQ(page.find("rope"), std::string::npos);
}

// What a hint suggests exists in the program.
TEST_F(TextCommands, EverySynonymLeadsSomewhere) {
  const std::string all = expect_fine("manual") + expect_fine("train --help");
  std::string options;
  for (const char* scheme : {"rotary", "t5", "deberta"})
    options += expect_fine("schemes " + std::string(scheme));
  for (const Synonym& synonym : synonyms()) {
    std::string flag(synonym.here);
    std::ranges::replace(flag, '_', '-');
    std::string escaped;
    for (const char c : flag) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
    const bool found = all.find("\n" + std::string(synonym.here) + " ") != std::string::npos ||  // a setting
                       all.find("\\-\\-" + escaped) != std::string::npos ||                      // an option
                       all.find(".SS " + std::string(synonym.here) + "\n") != std::string::npos ||
                       all.find("model." + std::string(synonym.here)) != std::string::npos ||
                       options.find("\n" + std::string(synonym.here) + " ") != std::string::npos;
    EXPECT_TRUE(found) << synonym.elsewhere << " -> " << synonym.here;
  }
}

TEST_F(TextCommands, SamplingOptionsNeedATemperature) {
  const std::string generate = "generate " + model("write") + " 'the dog' --max-tokens 3";
  expect_program_fault(2, generate + " --top-p 0.9", {"generate", "--top-p", "--temperature"});
  expect_program_fault(2, generate + " --top-k 3 --min-p 0.1",
                       {"generate", "--top-k", "--min-p", "--temperature"});
  expect_fine(generate + " --top-p 0.9 --temperature 0.8");
  EXPECT_EQ(expect_fine(generate + " --top-p 0.9 --temperature 0"), expect_fine(generate));
}

TEST_F(TextCommands, AMistypedTokenizerIsNotAText) {
  expect_program_fault(4, "tokenize models/nosuch 'the dog'", {"'models/nosuch'", "--tokenizer bytes"});
  expect_program_fault(4, "tokenize cl100k.tiktoken 'the dog'", {"'cl100k.tiktoken'"});
  expect_program_fault(4, "tokenize nosuch 'the dog'", {"'nosuch'", "--tokenizer bytes"});
  EXPECT_EQ(expect_fine("tokenize --tokenizer bytes a/b c"), "97 47 98\n99\n");
  EXPECT_EQ(expect_fine("tokenize a/b"), "97 47 98\n");
}

}  // namespace
}  // namespace locus
