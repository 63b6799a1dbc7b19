// Each command that applies a model to texts, as a user sees it. The tests in tests/apply check the computed
// values.
#include <gtest/gtest.h>

#include "locus/checkpoint/safetensors.h"
#include "tests/cli/text_commands.h"

namespace locus {
namespace {

TEST_F(TextCommands, Embed) {
  const std::string embed = "embed " + model("embed"), texts = file("x.txt", "the dog\nit ran\n");
  const std::string lines = expect_fine(embed + " --file " + texts);
  EXPECT_EQ(lines_in(lines), 2u);
  EXPECT_EQ(lines.find("{\"text\": \"the dog\", \"embedding\": ["), 0u) << lines;
  const std::string objects = "{\"text\": \"the dog\"}\n{\"text\": \"it ran\"}\n";
  EXPECT_EQ(expect_fine(embed + " --input-format jsonl < " + file("y", objects)), lines);
  EXPECT_EQ(expect_fine(embed + " --file " + file("y.jsonl", objects)), lines);
  const std::string out = (folder / "out").string();
  EXPECT_EQ(expect_fine(embed + " --file " + texts + " --out " + out + ".jsonl"),
            out + ".jsonl: embeddings of 12 numbers\n");
  EXPECT_EQ(read_file(out + ".jsonl"), lines);
  expect_values(expect_fine(embed + " --file " + texts + " --out " + out + ".safetensors"),
                {out + ".safetensors", "2", "12", out + ".safetensors.jsonl"});
  const SafetensorsFile file(out + ".safetensors");
  const Tensor vectors = file.read("embeddings");
  EXPECT_EQ(vectors.shape(), Shape({2, 12}));
  expect_values(expect_fine(embed + " --file " + texts + " --out " + out + ".npy"),
                {out + ".npy", "2", "12", out + ".npy.jsonl"});
  const std::string npy = read_file(out + ".npy");
  ASSERT_EQ(npy.size(), 128 + 2 * 12 * sizeof(float));
  EXPECT_EQ(npy.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(npy.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 12), }");
  EXPECT_EQ(npy[127], '\n');
  EXPECT_EQ(npy.substr(128), std::string(reinterpret_cast<const char*>(vectors.data<float>().data()), 96));
  expect_program_fault(2, embed + " a --out x.txt", {"--out", "'x.txt'", ".jsonl", ".npy", ".safetensors"});
}

// Every command that opens a model has --dtype; the commands that train do not.
TEST_F(TextCommands, WeightsAsBf16) {
  const std::string embed = "embed " + model("embed") + " 'the dog'";
  EXPECT_EQ(expect_fine(embed + " --dtype f32"), expect_fine(embed));
  EXPECT_NE(expect_fine(embed + " --dtype bf16"), expect_fine(embed));
  expect_fine("similarity " + model("embed") + " a b --dtype bf16");
  expect_fine("classify " + model("classify") + " a --dtype bf16");
  expect_fine("tag " + model("tag") + " a --dtype bf16");
  expect_fine("generate " + model("write") + " 'the dog' --max-tokens 2 --dtype bf16");
  expect_fine("translate " + model("translate") + " 'the dog' --max-tokens 2 --dtype bf16");
  expect_program_fault(2, embed + " --dtype bf61", {"--dtype", "'bf61'", "f32", "bf16", "'bf16'"});
  expect_program_fault(2, "train x --out y --dtype bf16", {"'--dtype'"});
  const std::string inputs = file("x.json", "{\"input_ids\": [[1, 2, 3]]}");
  const std::string forward =
      "forward " + model("embed") + " --input " + inputs + " --out " + inputs + ".out";
  expect_fine(forward + " --dtype bf16");
  expect_program_fault(2, forward + " --dtype bf16 --gradients",
                       {"forward", "--gradients", "--dtype bf16", "f32"});
}

TEST_F(TextCommands, EmbedSkipsBadLines) {
  const std::string texts = file("x.txt", "the dog\n\xff\n" + std::string(100, '.') + "\nit ran\n");
  const std::string out = (folder / "out.safetensors").string();
  run_program("embed " + model("embed") + " --skip-bad --file " + texts + " --out " + out);
  EXPECT_EQ(SafetensorsFile(out).read("embeddings").shape(), Shape({2, 12}));
}

TEST_F(TextCommands, Similarity) {
  const std::string similarity = "similarity " + model("embed");
  EXPECT_EQ(expect_fine(similarity + " 'the dog' 'the dog'"), "1.000000\tthe dog\tthe dog\n");
  const std::string pairs = file("x.tsv", "the dog\tit ran\nthe cat\tthe cat\n");
  const std::string of_pairs = expect_fine(similarity + " --file " + pairs);
  EXPECT_EQ(lines_in(of_pairs), 2u);
  EXPECT_NE(of_pairs.find("1.000000\tthe cat\tthe cat\n"), std::string::npos);
  EXPECT_EQ(expect_fine(similarity + " --json 'the dog' 'the dog'"),
            "{\"text\": \"the dog\", \"text_pair\": \"the dog\", \"score\": 1}\n");
  const std::string texts = file("x.txt", "the cat\n\xff\nthe dog\nit ran\nthe dog\n");
  EXPECT_EQ(expect_notes(similarity + " --query 'the dog' --top 2 --skip-bad --file " + texts,
                         {{"line 2", "'" + texts + "'", "UTF-8"}}),
            "1.000000\t3\tthe dog\n1.000000\t5\tthe dog\n");
  EXPECT_EQ(expect_fine(similarity + " --query 'the dog' --top 1 --json 'the cat' 'the dog'"),
            "{\"query\": \"the dog\", \"matches\": [{\"score\": 1, \"line\": 2, \"text\": \"the dog\"}]}\n");
  expect_program_fault(2, similarity + " --query a --prompt query b", {"similarity", "--prompt", "--query"});
  EXPECT_NE(expect_fine("embed " + model("embed_last") + " dog --prompt query"),
            expect_fine("embed " + model("embed_last") + " dog"));
  expect_program_fault(2, similarity + " 'the dog'", {"similarity", "pairs"});
  expect_program_fault(2, similarity + " a b --file c", {"similarity", "--file"});
}

TEST_F(TextCommands, Tag) {
  const std::string tag = "tag " + model("tag");
  EXPECT_EQ(expect_fine(tag + " 'It ran!'"),
            "0.3177\tPER\t0\t2\tIt\n0.2451\tLOC\t3\t6\tran\n0.2082\tMISC\t6\t7\t!\n\n");
  const std::string json = expect_fine(tag + " --json 'who is it? the CAT sat, é 狗 dogs ran.'");
  EXPECT_NE(json.find("\"start\": 22, \"end\": 25, \"text\": \", é\"}"), std::string::npos) << json;
  const std::string bytes =
      expect_fine(tag + " --json --offsets bytes 'who is it? the CAT sat, é 狗 dogs ran.'");
  EXPECT_NE(bytes.find("\"start\": 22, \"end\": 26, \"text\": \", é\"}"), std::string::npos) << bytes;
}

TEST_F(TextCommands, NamesOfClassesAreEscaped) {
  const CopyOf model_copy("classify");
  std::string config = read_file(model_copy / "config.json");
  for (const char* name : {"0\": \"bad", "1\": \"fair", "2\": \"good"}) {
    config.insert(config.find(name) + 5, R"(\u001b]0;\t\n)");
  }
  put(model_copy / "config.json", config);
  const std::string line = expect_fine("classify " + model_copy.path().string() + " 'It ran!'");
  EXPECT_NE(line.find(R"(\x1b]0;\x09\x0a)"), std::string::npos) << line;
  EXPECT_EQ(lines_in(line), 1U);
  EXPECT_EQ(std::ranges::count(line, '\t'), 2);
  EXPECT_EQ(std::ranges::count(line, '\x1b'), 0);
}

TEST_F(TextCommands, ClassifyNeedsDistinctLabels) {
  const std::string classify = "classify " + model("entail") + " 'The dog ran.' --json";
  EXPECT_NE(expect_fine(classify + " --label dog --label cat").find("\"cat\": "), std::string::npos);
  expect_program_fault(2, classify + " --label dog --label cat --label dog",
                       {"classify", "--label", "'dog'"});
  expect_program_fault(2, classify + " --label dog --label ''", {"classify", "--label", "empty"});
}

TEST_F(TextCommands, Fill) {
  const std::string fill = "fill " + model("fill");
  const std::string lines = expect_fine(fill + " 'The [MASK] sat.' --top 2");
  EXPECT_EQ(lines_in(lines), 2u);
  const std::string json = expect_fine(fill + " 'The [MASK] sat.' --top 1 --json");
  EXPECT_EQ(json.find("{\"text\": \"The [MASK] sat.\", \"masks\": [{\"start\": 4, \"end\": 10, \"choices\": "
                      "[{\"token\": "),
            0u)
      << json;
  EXPECT_NE(expect_fine(fill + " '[MASK] ran [MASK]' --top 1").find("\tmask 2\n"), std::string::npos);
  // If there are several texts, each one is printed above its predictions.
  const std::string first = expect_fine(fill + " '[MASK] ran [MASK]' --top 1");
  const std::string both = "[MASK] ran [MASK]\n" + first + "\nThe [MASK] sat.\n" +
                           expect_fine(fill + " 'The [MASK] sat.' --top 1") + "\n";
  EXPECT_EQ(expect_fine(fill + " '[MASK] ran [MASK]' 'The [MASK] sat.' --top 1"), both);
  EXPECT_EQ(expect_fine(fill + " --top 1 < " + file("x", "[MASK] ran [MASK]\nThe [MASK] sat.\n")), both);
  expect_program_fault(3, fill + " 'no mask'", {"text 1", "[MASK]"});
}

TEST_F(TextCommands, Answer) {
  const std::string answer = "answer " + model("answer") + " --window 16 --overlap 4";
  const std::string context =
      "Ada lives in London. é 狗 The dog chased the ball, and the cat sat. Who ran? It is the dog!";
  const std::string from_file =
      expect_fine(answer + " --question 'is it ada' --context " + file("x", context));
  EXPECT_EQ(from_file, "and the cat sat.\n");
  EXPECT_EQ(expect_fine(answer + " 'is it ada' '" + context + "'"), from_file);
  EXPECT_EQ(expect_fine(answer + " < " + file("x.tsv", "is it ada\t" + context + "\n")), from_file);
  const std::string object = "{\"question\": \"is it ada\", \"context\": \"" + context + "\"}\n";
  EXPECT_EQ(expect_fine(answer + " --file " + file("y.jsonl", object)), from_file);
  const std::string json = expect_fine(answer + " --json --input-format jsonl < " + file("y", object));
  EXPECT_EQ(
      json.find(
          "{\"question\": \"is it ada\", \"answer\": \"and the cat sat.\", \"start\": 50, \"end\": 66, "),
      0u)
      << json;
  const std::string bytes = expect_fine(answer + " --json --offsets bytes 'is it ada' '" + context + "'");
  EXPECT_NE(bytes.find("\"start\": 53, \"end\": 69"), std::string::npos) << bytes;
  EXPECT_EQ(expect_fine(answer + " x ''"), "no answer\n");
  EXPECT_EQ(expect_fine(answer + " x '' --json"), "{\"question\": \"x\", \"answer\": null, \"score\": 1}\n");
  expect_program_fault(2, answer + " --question x", {"answer", "--question", "--context"});
  expect_program_fault(2, answer + " --question x --context y a b", {"answer", "--question"});
}

TEST_F(TextCommands, Translate) {
  const std::string translate = "translate " + model("translate");
  const Expected expected("translate");
  std::string texts, beam, greedy;
  for (const Expected::Value value : expected.cases()) {
    texts += text_of(value, "text") + "\n";
    beam += text_of(value, "beam") + "\n";
    greedy += text_of(value, "greedy") + "\n";
  }
  EXPECT_EQ(expect_fine(translate + " < " + file("x", texts)), beam);
  EXPECT_EQ(expect_fine(translate + " --beams 1 < " + file("x", texts)), greedy);
  EXPECT_EQ(expect_fine(translate + " --json --beams 1 'It ran!'"),
            "{\"text\": \"It ran!\", \"translation\": \"it it itvvvv\", \"finish_reason\": \"length\"}\n");
  EXPECT_EQ(expect_fine(translate + " --beams 1 --max-tokens 5 'It ran!'"), "it\n");
  expect_program_fault(3, "translate " + model("write") + " x",
                       {"'" + model("write") + "'", "encoder-decoder"});
}

TEST_F(TextCommands, Generate) {
  const std::string generate = "generate " + model("write") + " --max-tokens 12 --repetition-penalty 1.3";
  const Expected expected("write");
  std::string prompts, texts;
  for (const Expected::Value value : expected.cases()) {
    prompts += text_of(value, "prompt") + "\n";
    texts += text_of(value, "text") + "\n";
    EXPECT_EQ(expect_fine(generate + " '" + text_of(value, "prompt") + "'"), text_of(value, "text") + "\n");
  }
  EXPECT_EQ(expect_fine(generate + " < " + file("x", prompts)), texts);
  const std::string objects = file("y.jsonl", "{\"prompt\": \"x\"}\n{\"prompt\": \"y\"}\n");
  const std::string of_words = expect_fine(generate + " --json x y");
  EXPECT_EQ(lines_in(of_words), 2u);
  EXPECT_EQ(expect_fine(generate + " --json --file " + objects), of_words);
  EXPECT_EQ(expect_fine(generate + " --json --input-format jsonl < " + objects), of_words);
  // Several prompts give one line each, also if a generated text has line ends.
  const std::string sampled =
      "generate " + model("write") + " --max-tokens 40 --temperature 5 --seed 1 a b c";
  EXPECT_EQ(lines_in(expect_fine(sampled)), 3u);
  EXPECT_EQ(expect_fine(generate + " --read-specials '<|endoftext|>'"), expect_fine(generate + " ''"));
  expect_fine(generate + " a --beams 2");
  expect_program_fault(3, generate + " " + std::string(60, 'x'), {"text 1", "60", "48", "--truncate"});
}

TEST_F(TextCommands, TokenizeLines) {
  const std::string tokenize = "tokenize " + model("embed") + " --json";
  const std::string ball =
      "{\"text\": \"É ball\", \"ids\": [2, 29, 8, 3], \"pieces\": [\"[CLS]\", \"e\", \"ball\", \"[SEP]\"], "
      "\"offsets\": [[0, 0], [0, 1], [2, 6], [0, 0]]}\n";
  EXPECT_EQ(expect_fine(tokenize + " 'É ball'"), ball);
  EXPECT_EQ(expect_fine(tokenize + " < " + file("x", "É ball\n")), ball);
  const std::string object = "{\"text\": \"É ball\"}\n";
  EXPECT_EQ(expect_fine(tokenize + " --threads 2 --input-format jsonl < " + file("x", object)), ball);
  EXPECT_EQ(expect_fine(tokenize + " --file " + file("x.jsonl", object)), ball);
  EXPECT_NE(expect_fine(tokenize + " --offsets bytes 'É ball'").find("[0, 2], [3, 7]"), std::string::npos);
  EXPECT_EQ(
      expect_notes(tokenize + " --skip-bad < " + file("y", "\xff\nÉ ball\n"), {{"line 1", "stdin", "UTF-8"}}),
      ball);
  expect_program_fault(3, tokenize + " < " + file("z", "\xff\n"), {"line 1", "stdin", "UTF-8"});
  expect_program_fault(2, "tokenize --skip-bad a", {"tokenize", "--skip-bad", "--json"});
}

TEST_F(TextCommands, HelpOfEachHasAnExample) {
  for (const char* command :
       {"embed", "similarity", "classify", "tag", "fill", "answer", "generate", "translate", "tokenize"}) {
    const std::string help = expect_fine(std::string(command) + " --help");
    EXPECT_NE(help.find("Example"), std::string::npos) << command;
    EXPECT_NE(help.find(std::string("locus ") + command + " "), std::string::npos) << command;
    EXPECT_NE(help.find("--threads"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace locus
