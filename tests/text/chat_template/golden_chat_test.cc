// Chat templates write what jinja2 writes: tools/golden/chat_templates.py.
#include <gtest/gtest.h>

#include <fstream>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/text/chat_template/chat_template.h"

namespace locus {
namespace {

const std::filesystem::path kChat = std::filesystem::path(LOCUS_GOLDEN) / "chat";

std::vector<std::string> lines_of(const char* file) {
  std::ifstream in(kChat / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Compares the text of a template with the golden one, or that both fail.
void check(const ChatTemplate& chat, const ChatInput& input, const json::Object& golden,
           const std::string& name) {
  std::optional<std::string> text;
  std::string error;
  try {
    text = chat.render(input).bytes();
  } catch (const Error& e) {
    error = e.what();
  }
  if (const auto expected = golden.find("text")) {
    EXPECT_EQ(text.value_or("error: " + error), *expected->text()) << name;
    return;
  }
  EXPECT_FALSE(text.has_value()) << name << "\n" << text.value_or("");
  if (const auto refused = golden.find("refused")) {
    EXPECT_NE(error.find(*refused->text()), std::string::npos) << name << "\n" << error;
  }
}

TEST(GoldenChat, TemplatesInTheStyleOfModelFamilies) {
  const std::vector<std::string> lines = lines_of("cases.jsonl");
  const json::Document head(lines.at(0), "cases.jsonl");
  const auto inputs = *head.member("inputs").object();
  for (size_t i = 1; i < lines.size(); ++i) {
    const json::Document golden(lines[i], "cases.jsonl");
    const std::string name = golden.text("template"), given = golden.text("input");
    const ChatTemplate chat(read_file(kChat / "templates" / (name + ".jinja"), 1 << 20), name,
                            {{"bos_token", "<s>"}, {"eos_token", "</s>"}});
    const auto input = *inputs.find(given)->object();
    ChatInput chat_input{.messages = input.find("messages"),
                         .tools = input.find("tools"),
                         .documents = input.find("documents"),
                         .variables = inputs.find(given)};
    chat_input.add_generation_prompt = *input.find("add_generation_prompt")->flag();
    check(chat, chat_input, golden.object(), name + " with " + given);
  }
  EXPECT_GT(lines.size(), 150U);
}

TEST(GoldenChat, Snippets) {
  const std::vector<std::string> lines = lines_of("snippets.jsonl");
  const json::Document head(lines.at(0), "snippets.jsonl");
  for (size_t i = 1; i < lines.size(); ++i) {
    const json::Document golden(lines[i], "snippets.jsonl");
    const std::string source = golden.text("source");
    try {
      const ChatTemplate chat(source, "snippet");
      check(chat, {.variables = head.member("variables")}, golden.object(), source);
    } catch (const Error& error) {  // it does not parse
      EXPECT_TRUE(golden.object().find("fails").has_value()) << source << "\n" << error.what();
    }
  }
  EXPECT_GT(lines.size(), 300U);
}

}  // namespace
}  // namespace locus
