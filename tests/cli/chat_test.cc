// locus generate --chat: the chat template of a folder, on plain texts and on JSON objects.
#include "tests/cli/text_commands.h"

namespace locus {
namespace {

class ChatCommand : public TextCommands {
 protected:
  ChatCommand() {
    std::filesystem::copy(golden_model("write"), folder / "model");
    put(folder / "model" / "chat_template.jinja",
        "{% for m in messages %}{{ m.role ~ ': ' ~ m.content }}<|endoftext|>{% endfor %}{{ note }}");
  }
  std::string generate(const std::string& arguments) const {
    return expect_fine("generate " + (folder / "model").string() + " --max-tokens 4 " + arguments);
  }
};

TEST_F(ChatCommand, AppliesTheTemplateOfTheFolder) {
  const std::string chat = generate("--chat --json 'The dog'");
  EXPECT_TRUE(contains(chat, R"("prompt": "user: The dog<|endoftext|>")")) << chat;
  EXPECT_EQ(chat, generate("--read-specials --json 'user: The dog<|endoftext|>'"));
  EXPECT_EQ(generate("--chat 'The dog'"), generate("--read-specials 'user: The dog<|endoftext|>'"));
}

TEST_F(ChatCommand, ReadsObjects) {
  const std::string chats =
      file("chats.jsonl",
           R"({"messages": [{"role": "system", "content": "A"}, {"role": "user", "content": "dog"}]}
{"messages": [], "chat_template_kwargs": {"note": "It"}}
)");
  const std::string out = generate("--chat --json --file " + chats);
  EXPECT_EQ(lines_in(out), 2U);
  EXPECT_TRUE(contains(out, R"("prompt": "system: A<|endoftext|>user: dog<|endoftext|>")")) << out;
  EXPECT_TRUE(contains(out, R"("prompt": "It")")) << out;
  const std::string one = R"({"messages": [{"role": "user", "content": "dog"}]})";
  EXPECT_EQ(generate("--chat --input-format jsonl < " + file("stdin", one + "\n")), generate("--chat dog"));
}

TEST_F(ChatCommand, FaultsNameTheirPlace) {
  const std::string model = (folder / "model").string();
  const std::string bad = file("bad.jsonl",
                               R"({"messages": [{"role": "user", "content": "a"}]}
{"messages": [{"content": "a"}]}
)");
  expect_program_fault(3, "generate " + model + " --chat --file " + bad, {"line 2", "role"});
  expect_program_fault(2, "generate " + model + " --chat --truncate a", {"--chat", "--truncate"});
  expect_program_fault(2, "generate " + model + " --chat --read-specials a", {"--chat", "--read-specials"});
  put(folder / "model" / "chat_template.jinja", "a\n{{ b.c }}");
  expect_program_fault(3, "generate " + model + " --chat a", {"text 1", model, "line 2", "'b'"});
  std::filesystem::remove(folder / "model" / "chat_template.jinja");
  expect_program_fault(3, "generate " + model + " --chat a", {model, "chat_template.jinja"});
}

}  // namespace
}  // namespace locus
