// Fields of config.json that Locus does not read: a warning names those that may change results.
#include "locus/checkpoint/unread_fields.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

std::vector<std::string> unread_names(const Config& config) {
  std::vector<std::string> names;
  config.each_unread(
      [&](const std::string& name, const std::string& value) { names.push_back(name + " " + value); });
  std::ranges::sort(names);
  return names;
}

// The warnings of a golden folder with more members in config.json.
std::vector<std::string> warnings_with(const std::string& family, const std::string& members) {
  const FolderOf folder(family);
  folder.change("\"model_type\"", members + ", \"model_type\"");
  return open_model(folder.path()).warnings;
}

TEST(UnreadFields, AreThoseThatNoGetterWasCalledFor) {
  const Config config(R"({"a": 1, "b": "x", "c": null, "d": [], "e": {}, "f": [1, 2],
                          "g": {"h": true, "i": {"j": 2.5}}, "k": {"l": 1}})",
                      "config.json");
  EXPECT_EQ(unread_names(config),
            (std::vector<std::string>{"a 1", "b 'x'", "f a list of length 2", "g an object", "k an object"}));
  EXPECT_EQ(config.integer("a", 0, 9), 1);
  EXPECT_TRUE(config.has("b"));
  EXPECT_EQ(config.numbers("f").size(), 2u);
  EXPECT_TRUE(config.flag("g.h"));
  EXPECT_FALSE(config.has("k.m"));
  EXPECT_EQ(unread_names(config), (std::vector<std::string>{"g.i an object", "k.l 1"}));
}

TEST(UnreadFields, AreNamedWhenAModelOpens) {
  const std::vector<std::string> warnings =
      warnings_with("llama", R"("sliding_window_pattern": 3, "attention_chunk_size": 8, "unused": null)");
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* part :
       {"config.json", "'attention_chunk_size'", " is 8", "'sliding_window_pattern' is 3"}) {
    EXPECT_NE(warnings[0].find(part), std::string::npos) << warnings[0];
  }
  EXPECT_EQ(warnings[0].find("unused"), std::string::npos) << warnings[0];
}

TEST(UnreadFields, InsideTheRotarySettings) {
  const FolderOf folder("neox");
  folder.change("\"rope_theta\"", "\"mrope_section\": [1, 2], \"rope_theta\"");
  const std::vector<std::string> warnings = open_model(folder.path()).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("'rope_parameters.mrope_section'"), std::string::npos) << warnings[0];
}

// From the files of released models.
TEST(UnreadFields, ThatCannotChangeResultsAreNotNamed) {
  EXPECT_TRUE(warnings_with("bert", R"("directionality": "bidi", "pooler_type": "first_token_transform",
      "gradient_checkpointing": false, "torch_dtype": "float32", "_name_or_path": "x", "attention_dropout": 0.1)")
                  .empty());
  EXPECT_TRUE(warnings_with("bart", R"("normalize_before": false, "extra_pos_embeddings": 2, "num_beams": 4,
      "task_specific_params": {"summarization": {"length_penalty": 2.0}}, "min_length": 56)")
                  .empty());
  EXPECT_TRUE(warnings_with("llama", R"("pretraining_tp": 1, "use_cache": true, "is_llama_config": true,
      "rope_interleaved": false, "_attn_implementation_autoset": true)")
                  .empty());
}

TEST(UnreadFields, DoNotOccurInFilesOfLocus) {
  size_t exported = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(LOCUS_GOLDEN) / "family")) {
    SCOPED_TRACE(entry.path());
    const Blueprint blueprint = read_architecture(Config(entry.path() / "config.json")).blueprint;
    try {
      const Config written(export_config(blueprint).config, "config.json");
      read_architecture(written);
      EXPECT_EQ(unread_warnings(written), std::vector<std::string>());
      ++exported;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported_field) << error.message();
    }
  }
  EXPECT_GT(exported, 50u);
}

TEST(UnreadFields, BeyondADozenAreCounted) {
  std::string members = "\"f0\": 0";
  for (int i = 1; i < 100; ++i) members += fmt::format(", \"f{}\": {}", i, i);
  const std::vector<std::string> warnings = warnings_with("gpt2", members);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("and 88 more"), std::string::npos) << warnings[0];
}

}  // namespace
}  // namespace locus
