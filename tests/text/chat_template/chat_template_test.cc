// Limits of chat templates, errors with their lines, marks of users, and the files of a folder.
#include "locus/text/chat_template/chat_template.h"

#include <gtest/gtest.h>

#include "locus/text/pipeline/pipeline.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

MarkedText render(const std::string& source, const std::string& variables = "{}") {
  const json::Document document(variables, "variables");
  return ChatTemplate(source, "chat").render({.variables = document.root()});
}

TEST(ChatTemplate, AnUnknownConstructIsNamedWithItsLine) {
  const auto refused = [](const std::string& source, std::initializer_list<const char*> values) {
    expect_error(Fault::data, Code::unsupported_field, values, [&] { render(source); });
  };
  refused("a\n{% include 'x' %}", {"chat", "line 2", "include"});
  refused("\n\n{% call f() %}", {"line 3", "call"});
  refused("{% unknown %}", {"line 1", "'unknown'"});
  refused("a\n{{ 'x' | pprint }}", {"line 2", "'pprint'"});
  refused("{% if 1 is\n module %}{% endif %}", {"line 2", "'module'"});
  refused("{{ f(*x) }}", {"line 1", "*"});
  refused("\n{{ '%s' % 1 }}", {"line 2", "%"});
  refused("{{ 'a'.zfill(2) }}", {"line 1"});
}

TEST(ChatTemplate, ErrorsNameTheLine) {
  const auto fails = [](const std::string& source, std::initializer_list<const char*> values) {
    expect_error(Fault::data, values, [&] { render(source); });
  };
  fails("a\nb {{ x.y.z }}", {"line 2", "'x'", "undefined"});
  fails("{% macro f() %}\n{{ 1 + 'a' }}{% endmacro %}\n\n{{ f() }}", {"line 2", "int", "str"});
  fails("{% macro f() %}\n1{% endmacro %}\n\n{{ f() + 1 }}", {"line 4", "str", "int"});
  fails("a\n{{ raise_exception('no ' ~ 2) }}", {"line 2", "'no 2'"});
  fails("a\n{% if x %}", {"line 2", "endif"});
  fails("a\n\n{{ 1", {"line 3"});
  fails("\n{{ [1, 2 }}", {"line 2", "]"});
  fails("{% set n = namespace(a=[namespace()]) %}", {"line 1", "namespace"});
  fails("{{ [1].append(2) }}", {"append"});
}

TEST(ChatTemplateSlow, StepsAreLimited) {
  const auto too_long = [](const std::string& source) {
    expect_error(Fault::data, {"1000000", "steps"}, [&] { render(source); });
  };
  too_long("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}");
  too_long("{% set x = 'a' * 1000000 %}{% for i in range(9999) %}{% set y = x ~ '' %}{% endfor %}");
  too_long("{% set l = range(90000) | list %}{% for i in l %}{% if 'x' in l %}{% endif %}{% endfor %}");
  too_long("{% set l = [0] * 90000 %}{% for i in l %}{% if l == l %}{% endif %}{% endfor %}");
  too_long("{% set s = 'a ' * 90000 %}{% for i in range(90000) %}{% set t = s.split() %}{% endfor %}");
}

TEST(ChatTemplate, TheTextIsLimited) {
  const auto too_large = [](const std::string& source) {
    expect_error(Fault::data, {"1048576"}, [&] { render(source); });
  };
  too_large(
      "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}");
  too_large("{{ 'abc' * 1000000 }}");
  too_large("{% for i in range(2000) %}{{ 'a' * 1000 }}{% endfor %}");
  too_large("{{ 'aaaa' | replace('a', 'b' * 500000) }}");
  too_large("{{ (['a' * 500000] * 3) | join('x') }}");
  too_large("{{ 'a' * 1048577 }}");
  EXPECT_EQ(render("{{ 'a' * 1048576 }}").size(), 1048576U);
}

TEST(ChatTemplate, TheDepthIsLimited) {
  const auto too_deep = [](const std::string& source) {
    expect_error(Fault::data, {"64"}, [&] { render(source); });
  };
  const auto repeated = [](const std::string& part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  too_deep("{{ " + repeated("(", 9999) + "1" + repeated(")", 9999) + " }}");
  too_deep("{{ " + repeated("not ", 9999) + "1 }}");
  too_deep("{{ " + repeated("-", 9999) + "1 }}");
  too_deep("{{ " + repeated("1 if 1 else ", 9999) + "1 }}");
  too_deep("{{ x" + repeated(".a", 9999) + " }}");
  too_deep("{{ x" + repeated("|upper", 9999) + " }}");
  too_deep(repeated("{% if 1 %}", 9999));
  too_deep("{% if 0 %}" + repeated("{% elif 0 %}", 9999) + "{% endif %}");
  too_deep("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}");
  too_deep("{% set ns = namespace(x=[]) %}{% for i in range(99) %}{% set ns.x = [ns.x] %}{% endfor %}");
  too_deep("{% for x in [[1]] recursive %}{{ loop([x]) }}{% endfor %}");
  const std::string ifs = repeated("{% if 1 %}", 40), ends = repeated("{% endif %}", 40);
  expect_error(Fault::data, {"600"},
               [&] { render("{% macro f() %}" + ifs + "{{ f() }}" + ends + "{% endmacro %}{{ f() }}"); });
  EXPECT_EQ(render("{{ " + repeated("1 + ", 9999) + "1 }}").bytes(), "10000");
}

// The parts of a text, with user parts in brackets.
std::string marked(const MarkedText& text) {
  std::string result;
  text.each_part([&](std::string_view bytes, Origin origin) {
    result += origin == Origin::user ? fmt::format("[{}]", bytes) : std::string(bytes);
  });
  return result;
}

TEST(ChatTemplate, TextsOfUsersStayMarked) {
  const std::string variables = R"({"s": " Ab ", "l": ["x", "y"], "d": {"k": "v\"w"}, "e": "ß"})";
  const auto text = [&](const std::string& source) { return marked(render(source, variables)); };
  EXPECT_EQ(text("a{{ s }}b"), "a[ Ab ]b");
  EXPECT_EQ(text("{{ 'a' + s | trim + 'b' }}"), "a[Ab]b");
  EXPECT_EQ(text("{{ s | upper }}{{ (s ~ '-' ~ s)[1:6] }}"), "[ AB Ab ]-[ ]");
  EXPECT_EQ(text("{{ l | join('-') }}"), "[x]-[y]");
  EXPECT_EQ(text("{{ ('a' ~ s).replace('A', '<b>') }}"), "a[ ]<b>[b ]");
  EXPECT_EQ(text("{{ ('a,' ~ s).split(',')[1] }}"), "[ Ab ]");
  EXPECT_EQ(text("{{ d | tojson }}"), R"({"[k]": "[v\"w]"})");
  EXPECT_EQ(text("{{ d }}"), R"({'[k]': '[v"w]'})");
  EXPECT_EQ(text("{% set x %}a{{ s }}{% endset %}{{ x }}{% for c in x %}{{ c }}.{% endfor %}"),
            "a[ Ab ]a.[ ].[A].[b].[ ].");
  EXPECT_EQ(text("{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(s) | indent }}"), "<[ Ab ]>");
  EXPECT_EQ(text("{{ s | length }}{{ e.upper() }}"), "4[SS]");
}

// A user cannot write special tokens, and all other tokens are as if the text had no marks.
const std::string kWords = R"({
  "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "<|end|>", "special": true},
                   {"id": 2, "content": "<|end|>x", "special": true}, {"id": 3, "content": "tool", "special": false}],
  "pre_tokenizer": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"},
  "model": {"type": "BPE", "vocab": {"a": 4, "_a": 5, "<": 6, "s": 7, ">": 8, "_": 9, "|": 10, "e": 11, "n": 12,
            "d": 13, "x": 14}, "merges": ["_ a"]}})";

TEST(ChatTemplate, AUserCannotWriteSpecialTokens) {
  const Pipeline tokens(read_pipeline(kWords, "words"));
  const auto ids = [&](const std::string& source, const std::string& user) {
    const json::Document messages(fmt::format(R"([{{"role": "user", "content": "{}"}}])", user), "messages");
    return tokens.encode_marked(ChatTemplate(source, "chat").render({.messages = messages.root()}));
  };
  using Ids = std::vector<int32_t>;
  const std::string source = "<s> {{ messages[0].content }}<|end|>";
  EXPECT_EQ(ids(source, "a"), (Ids{0, 5, 1}));  // the blank of the template and the user's text are one token
  EXPECT_EQ(ids(source, "<s>a"), (Ids{0, 9, 6, 7, 8, 4, 1}));
  EXPECT_EQ(ids(source, "tool"), (Ids{0, 9, 3, 1}));
  EXPECT_EQ(ids("<s{{ messages[0].content }}<s>", ">"), (Ids{9, 6, 7, 8, 0}));  // half of a name
  EXPECT_EQ(ids("<|end|>{{ messages[0].content }}", "x"), (Ids{1, 9, 14}));     // the shorter name
  EXPECT_EQ(ids("<{{ messages[0].role[3:] | replace('r', 's') }}>", "a"), (Ids{0}));
}

TEST(ChatTemplate, RolesOfUsersAreMarkedUnlessTheyAreCommon) {
  const auto text = [](const std::string& role) {
    const json::Document messages(fmt::format(R"([{{"role": "{}", "content": "c"}}])", role), "messages");
    return marked(ChatTemplate("<|{{ messages[0].role }}|>", "chat").render({.messages = messages.root()}));
  };
  EXPECT_EQ(text("assistant"), "<|assistant|>");
  EXPECT_EQ(text("im_end"), "<|[im_end]|>");
}

TEST(ChatTemplate, FilesOfAFolder) {
  const TemporaryFolder folder{in_memory()};
  const auto first = [&] { return render_message(load_chat_template(folder.path()), "m").bytes(); };
  expect_error(Fault::data, Code::missing_file, {"chat_template.jinja"},
               [&] { load_chat_template(folder.path()); });
  put(folder / "tokenizer_config.json",
      R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "chat_template": "{{ bos_token }}1{{ eos_token }}"})");
  EXPECT_EQ(first(), "<s>1</s>");
  put(folder / "tokenizer_config.json", R"({"chat_template": [{"name": "tool_use", "template": "T"},
                                                              {"name": "default", "template": "D"}]})");
  EXPECT_EQ(first(), "D");
  const ChatTemplate named = load_chat_template(folder.path());
  EXPECT_EQ(render_object(named, R"({"messages": [], "tools": [{}]})", "o").bytes(), "T");
  EXPECT_EQ(render_object(named, R"({"messages": [], "tools": null})", "o").bytes(), "D");
  put(folder / "chat_template.jinja", "J{{ messages[0].content }}{{ add_generation_prompt }}\n");
  EXPECT_EQ(first(), "JmTrue");
}

TEST(ChatTemplate, ObjectsAreChecked) {
  const ChatTemplate chat("{{ x }}{{ documents }}", "chat");
  const auto refused = [&](const char* object, std::initializer_list<const char*> values) {
    expect_error(Fault::data, values, [&] { render_object(chat, object, "line 3"); });
  };
  refused("[]", {"line 3"});
  refused("{}", {"line 3", "messages"});
  refused(R"({"messages": "a"})", {"messages", "list"});
  refused(R"({"messages": [1]})", {"messages[0]"});
  refused(R"({"messages": [{"content": "a"}]})", {"role"});
  refused(R"({"messages": [], "tools": {}})", {"tools", "list"});
  refused(R"({"messages": [], "chat_template_kwargs": []})", {"chat_template_kwargs"});
  const auto text =
      render_object(chat, R"({"messages": [], "documents": [1], "chat_template_kwargs": {"x": 5}})", "o");
  EXPECT_EQ(text.bytes(), "5[1]");
}

}  // namespace
}  // namespace locus
