#include "locus/base/settings.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "locus/base/file.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

Settings parse(std::string_view toml) { return Settings::parse(toml, "a.toml"); }

void expect_refused(std::string_view toml, std::initializer_list<const char*> values) {
  expect_error(Fault::data, values, [&] { parse(toml); });
}

constexpr const char* kExample = R"(task = "causal"   # a comment
[train]
steps = 1_000
rate = 3e-4
sizes = [1, 2.5,
         3]
none = []
[model]
width = 0x40
tied = true
name = "a \"b\" \\ \u00e9 = [1, 2]"
[model.scheme]
name = 'rotary'
[last]
zero = -0.0
)";

TEST(Settings, AreReadInOrderWithLinesAndKinds) {
  const Settings settings = parse(kExample);
  std::vector<std::string> lines;
  for (const Setting& s : settings.all()) {
    lines.push_back(fmt::format("{} {}={} {}", s.line, s.key, s.value, static_cast<int>(s.kind)));
  }
  EXPECT_EQ(lines,
            (std::vector<std::string>{"1 task=causal 0", "3 train.steps=1000 1", "4 train.rate=0.0003 1",
                                      "5 train.sizes=1, 2.5, 3 3", "7 train.none= 3", "9 model.width=64 1",
                                      "10 model.tied=true 2", "11 model.name=a \"b\" \\ é = [1, 2] 0",
                                      "13 model.scheme.name=rotary 0", "15 last.zero=0 1"}));
}

TEST(Settings, SectionsAreMapsOfTheirOwnKeys) {
  const Settings settings = parse(kExample);
  EXPECT_EQ(settings.section("model.scheme").at("name"), "rotary");
  EXPECT_EQ(settings.section("").size(), 1u);
  EXPECT_EQ(settings.section("model").size(), 3u);
  EXPECT_TRUE(settings.section("mod").empty());
}

TEST(Settings, WrittenAsTomlReadBackTheSame) {
  const Settings settings = parse(kExample), again = parse(settings.toml());
  EXPECT_TRUE(differences(settings, again).empty());
  ASSERT_EQ(again.all().size(), settings.all().size());
  for (size_t i = 0; i < settings.all().size(); ++i) {
    EXPECT_EQ(again.all()[i].key, settings.all()[i].key);
    EXPECT_EQ(again.all()[i].kind, settings.all()[i].kind);
  }
  EXPECT_EQ(again.toml(), settings.toml());
}

RC_GTEST_PROP(Settings, AnyTextIsReadBackOrRefused, (const std::string& value)) {
  Settings settings = parse("key = \"\"");
  try {
    settings.set("key", value);
  } catch (const Error&) {  // not UTF-8, or a DEL
    return;
  }
  RC_ASSERT(parse(settings.toml()).find("key")->value == value);
}

RC_GTEST_PROP(Settings, AnyNumberIsReadBack, (double value)) {
  Settings settings;
  settings.set("key", fmt::format("{}", value));
  RC_ASSERT(std::stod(parse(settings.toml()).find("key")->value) == value);
}

RC_GTEST_PROP(Settings, AnyBytesAreReadOrRefused, (const std::string& text)) {
  try {
    parse(text);
  } catch (const Error& error) {
    RC_ASSERT(error.fault() == Fault::data);
  }
}

TEST(Settings, AreOverridden) {
  Settings settings = parse(kExample);
  settings.set("train.rate=0.10");
  settings.set("model.scheme.name=1");  // an existing text stays text
  settings.set("model.tied=false");
  settings.set("train.sizes=4,05 , 6");
  settings.set("new.key=a=b");
  EXPECT_EQ(settings.find("train.rate")->value, "0.1");
  EXPECT_EQ(settings.find("model.scheme.name")->kind, Setting::Kind::text);
  EXPECT_EQ(settings.find("model.tied")->kind, Setting::Kind::boolean);
  EXPECT_EQ(settings.find("train.sizes")->kind, Setting::Kind::text) << "a space after a number";
  EXPECT_EQ(settings.find("new.key")->value, "a=b");
  EXPECT_EQ(settings.find("nothing"), nullptr);
  for (const char* number : {"007", "7.0", "7", "70e-1"}) {
    settings.set("n", number);
    EXPECT_EQ(settings.find("n")->value, "7");
  }
}

TEST(Settings, OverridesThatMakeNoSenseAreRefused) {
  Settings settings = parse(kExample);
  expect_error(Fault::usage, {"'rate'", "key=value"}, [&] { settings.set("rate"); });
  expect_error(Fault::usage, {"'=1'", "key=value"}, [&] { settings.set("=1"); });
  expect_error(Fault::usage, {"'train'", "'train.steps'"}, [&] { settings.set("train=1"); });
  expect_error(Fault::usage, {"'train.steps.more'", "'train.steps'"},
               [&] { settings.set("train.steps.more=1"); });
  expect_error(Fault::usage, {"'a = 1\\x0ab'"}, [&] { settings.set("a = 1\nb", "2"); });
  expect_error(Fault::data, {"'b c'"}, [&] { settings.set("b c=1"); });
  expect_error(Fault::data, {"'key'", "utf-8"}, [&] { settings.set("key", "\xff"); });
}

TEST(Settings, DifferencesAreNamed) {
  const Settings before = parse("a = 1\nb = 2\nc = 3"), after = parse("c = 3.0\nb = 4\nd = 5");
  std::vector<std::string> lines;
  for (const SettingChange& change : differences(before, after)) lines.push_back(change.text());
  EXPECT_EQ(lines,
            (std::vector<std::string>{"b: '4', was '2'", "d: '5', was not set", "a: not set, was '1'"}));
}

TEST(Settings, UnknownKeysAreReportedTogether) {
  constexpr std::array<std::string_view, 2> kKnown = {"train.steps", "train.rate"};
  parse("[train]\nsteps = 1\n").require_known(kKnown);
  expect_error(Fault::data, Code::unknown_option,
               {"a.toml:2", "'train.stepz'", "'train.steps'?\na.toml:3", "'train.zebra'"},
               [&] { parse("[train]\nstepz = 1\nzebra = 2\nrate = 3").require_known(kKnown); });
}

TEST(Settings, BadFilesAreRefusedWithTheLine) {
  expect_refused("a = 1\nb = = 2\n", {"a.toml:2: "});
  expect_refused("a = 1\na = 2\n", {"a.toml:2: "});
  expect_refused("[a]\nb = 1\n[a]\n", {"a.toml:3: "});
  expect_refused("a = \"\xff\"\n", {"a.toml:1: ", "utf-8"});
  expect_refused("a = 1\nb = nan\n", {"a.toml:2", "'b'", "nan"});
  expect_refused("a = 1e999\n", {"a.toml:1: "});
  expect_refused("a = 99999999999999999999\n", {"a.toml:1: "});
  expect_refused("\na = 1979-05-27\n", {"a.toml:2", "'a'"});
  expect_refused("a = [[1], [2]]\n", {"a.toml:1", "'a'"});
  expect_refused("a = [\"x\"]\n", {"a.toml:1", "'a'", "string", "number", "true", "false"});
  expect_refused("[[a]]\nb = 1\n", {"a.toml:1", "'a'"});
  // U+4E00 and U+FB01 are examples of characters that crashed the parser.
  expect_refused("\xe4\xb8\x80 = 1\n", {"a.toml:1", "ASCII"});
  expect_refused("b = 1\na = 2 \xef\xac\x81\n", {"a.toml:2", "ASCII"});
  // toml++ does not read these as strings.
  expect_refused("m=\t+'\xef\xbb\x9a", {"a.toml:1", "'+'"});
  expect_refused("b = 1\na = 1 '\xef\xbb\x9a'\n", {"a.toml:2", "'1'"});
  expect_refused("a = 'x' '\xef\xbb\x9a'\n", {"a.toml:1"});
  expect_refused("\"a b\" = 1\n", {"a.toml:1", "'a b'"});
  expect_refused("\"\" = 1\n", {"a.toml:1", "''"});
}

TEST(Settings, StringsMayBeginWhereKeysAndValuesDo) {
  const Settings settings =
      parse("a = \"\"\"\xc3\xa9\"\"\"\"\nb.'c' = '\xc3\xa9' # '\n'd' = ''\nx = {'e' = '\xc3\xa9'}\n");
  std::vector<std::string> lines;
  for (const Setting& s : settings.all()) lines.push_back(s.key + "=" + s.value);
  EXPECT_EQ(lines, (std::vector<std::string>{"a=\xc3\xa9\"", "b.c=\xc3\xa9", "d=", "x.e=\xc3\xa9"}));
}

// toml++ 3.3.0 reaches code marked as unreachable there.
TEST(Settings, NonAsciiAfterABackslashIsRefused) {
  for (const std::string text :
       {"\xef\xbb\x9f", "\xc3\xa9", " \n\t\xc3\xa9", "\v\xc3\xa9", "\f\n\xe2\x80\x8b"}) {
    expect_refused("\na = \"\"\"b\\" + text + "\"\"\"\n", {"a.toml:2", "backslash"});
  }
  EXPECT_EQ(parse("a = \"\"\"b\\\n  c\xc3\xa9\\\\\xc3\xa9\"\"\"\n").all()[0].value, "bc\xc3\xa9\\\xc3\xa9");
}

TEST(Settings, HostileFilesAreRefused) {
  std::string key = "a", brackets, tables = "x = ", headers;
  for (int i = 0; i < 200'000; ++i) key += ".a";
  expect_refused(key + " = 1\n", {"a.toml:1", "parts", "8"});
  expect_refused("b = 1\n[" + key + "]\n", {"a.toml:2", "parts", "8"});
  expect_refused("b = \"\"\"\n\n'\"\"\" # '\nx = { " + key + " = 1 }\n", {"a.toml:4", "parts", "8"});
  for (int i = 0; i < 200'000; ++i) brackets += "[";
  expect_refused("a = " + brackets, {"a.toml:1: "});
  for (int i = 0; i < 12; ++i) tables += "{a = ";
  expect_refused(tables + "1" + std::string(12, '}'), {"a.toml:1", "levels", "8"});
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += fmt::format("a{} = 1\n", i);
  expect_refused(many, {"a.toml", "settings", "10000"});
  EXPECT_EQ(parse("a = \"" + std::string(1000, '.') + "\" # " + std::string(1000, '.')).all().size(), 1u);

  const TemporaryFolder folder;
  write_file(folder / "large.toml", std::string((1 << 20) + 1, '#'));
  expect_error(Fault::data, {"large.toml", "1048577", "1048576"},
               [&] { Settings::read(folder / "large.toml"); });
  expect_error(Fault::io, Code::missing_file, {"none.toml"}, [&] { Settings::read(folder / "none.toml"); });
}

}  // namespace
}  // namespace locus
