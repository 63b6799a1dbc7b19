// Broken JSON Lines files with examples: for every reader, the error names the file, the line and what is
// wrong with it, and nothing is returned.
#include <gtest/gtest.h>

#include <functional>

#include "locus/text/task_file.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

struct Reader {
  const char* name;
  std::function<void(const std::filesystem::path&)> read;
  std::string good;    // a line that the reader accepts
  std::string member;  // of that line, with a text
};

const Reader kReaders[] = {
    {"labeled", read_labeled, R"({"text": "a", "label": "b"})", R"("text": "a")"},
    {"tagged", read_tagged, R"({"words": ["a"], "labels": ["b"]})", R"("words": ["a"])"},
    {"pairs", read_pairs, R"({"source": "a", "target": "b"})", R"("source": "a")"},
    {"questions", read_questions,
     R"({"question": "a", "context": "b", "answers": {"text": ["b"], "answer_start": [0]}})",
     R"("question": "a")"}};

// Calls f for every reader.
void for_each_reader(const std::function<void(const Reader&)>& f) {
  for (const Reader& reader : kReaders) {
    SCOPED_TRACE(reader.name);
    f(reader);
  }
}

void expect_refused(const Reader& reader, const std::string& text, std::initializer_list<const char*> values,
                    Code code = Code::none) {
  const TemporaryFolder folder{in_memory()};
  put(folder / "x.jsonl", text);
  expect_error(Fault::data, code, {"x.jsonl"}, [&] { reader.read(folder / "x.jsonl"); });
  expect_error(Fault::data, code, values, [&] { reader.read(folder / "x.jsonl"); });
}

// The good line with another text in the place of a part.
std::string with(const Reader& reader, const std::string& part, const std::string& other) {
  std::string line = reader.good;
  return line.replace(line.find(part), part.size(), other);
}

TEST(BadJsonLines, TheGoodLinesAreGood) {
  for_each_reader([](const Reader& reader) {
    const TemporaryFolder folder{in_memory()};
    put(folder / "x.jsonl", reader.good + "\r\n" + reader.good);
    EXPECT_NO_THROW(reader.read(folder / "x.jsonl"));
  });
}

TEST(BadJsonLines, ALineThatIsCutShort) {
  for_each_reader([](const Reader& reader) {
    for (size_t size = 1; size < reader.good.size(); ++size) {
      expect_refused(reader, reader.good + "\n" + reader.good.substr(0, size), {"line 2"},
                     Code::damaged_file);
    }
  });
}

TEST(BadJsonLines, TwoObjectsInALine) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, reader.good + reader.good, {"line 1", "JSON"}, Code::damaged_file);
    expect_refused(reader, reader.good + " 1", {"line 1", "JSON"}, Code::damaged_file);
  });
}

TEST(BadJsonLines, AnObjectOverTwoLines) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, with(reader, ", ", ",\n"), {"line 1", "JSON"}, Code::damaged_file);
  });
}

TEST(BadJsonLines, ValuesThatAreNotObjects) {
  for_each_reader([](const Reader& reader) {
    for (const char* value : {"null", "true", "1", "\"text\"", "[]"}) {
      expect_refused(reader, reader.good + "\n" + value + "\n", {"line 2", "object"}, Code::damaged_file);
    }
  });
}

TEST(BadJsonLines, PythonLiterals) {
  for_each_reader([](const Reader& reader) {
    for (const std::string text : {"{'text': 'a'}", "{\"text\": None}", "{\"text\": NaN}", "{text: 1}"}) {
      expect_refused(reader, text, {"line 1", "JSON"}, Code::damaged_file);
    }
  });
}

TEST(BadJsonLines, BytesThatAreNotUtf8) {
  for_each_reader([](const Reader& reader) {
    for (const std::string bytes : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe7\x8b"}) {
      expect_refused(reader, with(reader, "\"a\"", "\"" + bytes + "\""), {"line 1", "UTF-8"},
                     Code::damaged_file);
    }
  });
}

TEST(BadJsonLines, HalfOfASurrogatePair) {
  for_each_reader([](const Reader& reader) {
    for (const char* escape : {"\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\u12\""}) {
      expect_refused(reader, with(reader, "\"a\"", escape), {"line 1", "JSON"}, Code::damaged_file);
    }
  });
}

TEST(BadJsonLines, ControlCharactersInAText) {
  for_each_reader([](const Reader& reader) {
    for (const char c : {'\0', '\x01', '\t', '\x1f'}) {
      expect_refused(reader, with(reader, "\"a\"", "\"" + std::string(1, c) + "\""), {"line 1", "JSON"},
                     Code::damaged_file);
    }
  });
}

TEST(BadJsonLines, NestingWithoutEnd) {
  for_each_reader([](const Reader& reader) {
    for (const size_t depth : {size_t{2000}, size_t{1} << 20}) {
      expect_refused(reader, with(reader, "\"a\"", std::string(depth, '[')), {"line 1"}, Code::damaged_file);
      expect_refused(reader, with(reader, "\"a\"", std::string(depth, '[') + std::string(depth, ']')),
                     {"line 1", "1024"}, Code::damaged_file);
    }
  });
}

TEST(BadJsonLines, AMissingMember) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, reader.good + "\n{}", {"line 2", "missing"});
    expect_refused(reader, with(reader, reader.member, R"("id": 7)"), {"line 1", "missing"});
  });
}

TEST(BadJsonLines, NullInsteadOfAText) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, with(reader, "\"a\"", "null"), {"line 1", "'null'", "string"});
  });
}

TEST(BadJsonLines, NumbersInsteadOfATextAreQuotedShort) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, with(reader, "\"a\"", "1e3"), {"line 1", "string"});
    const TemporaryFolder folder{in_memory()};
    put(folder / "x.jsonl", with(reader, "\"a\"", "[" + std::string(1 << 16, '1') + "]"));
    try {
      reader.read(folder / "x.jsonl");
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_LT(std::string_view(error.what()).size(), 1000u);
    }
  });
}

TEST(BadJsonLines, TheLastOfTwoMembersIsTheOneThatIsChecked) {
  for_each_reader([](const Reader& reader) {
    const std::string name = reader.member.substr(0, reader.member.find(':'));
    expect_refused(reader, with(reader, reader.member, reader.member + ", " + name + ": 3"),
                   {"line 1", "'3'"});
  });
}

TEST(BadJsonLines, AnEmptyText) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, reader.good + "\n" + with(reader, "\"a\"", "\"\""), {"line 2", "empty"});
  });
}

TEST(BadJsonLines, EmptyLinesAndFiles) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, "", {"empty"});
    expect_refused(reader, "\n" + reader.good, {"line 1", "empty"});
    expect_refused(reader, reader.good + "\n\r\n" + reader.good, {"line 2", "empty"});
    expect_refused(reader, reader.good + "\n  \n", {"line 2", "JSON"}, Code::damaged_file);
  });
}

TEST(BadJsonLines, LineEndsOfAnOldMacAreNotLineEnds) {
  for_each_reader([](const Reader& reader) {
    expect_refused(reader, reader.good + "\r" + reader.good + "\r", {"line 1", "JSON"}, Code::damaged_file);
  });
}

TEST(BadJsonLines, AnotherEncodingOrACompressedFile) {
  for_each_reader([](const Reader& reader) {
    std::string wide;
    for (const char c : reader.good) wide += {c, '\0'};
    expect_refused(reader, wide, {"line 1"}, Code::damaged_file);
    expect_refused(reader, "\xff\xfe" + wide, {"line 1"}, Code::damaged_file);
    expect_refused(reader, std::string("\x1f\x8b\x08\0\0", 5), {"line 1"}, Code::damaged_file);
  });
}

TEST(BadJsonLines, StartsOfAnswersThatAreNotIndices) {
  const Reader& questions = kReaders[3];
  for (const char* start :
       {"-1", "2", "0.0", "0.5", "1e30", "18446744073709551616", "\"0\"", "null", "[0]"}) {
    expect_refused(questions, with(questions, "[0]", "[" + std::string(start) + "]"),
                   {"line 1", "answer_start"});
  }
}

TEST(BadJsonLines, LabelsThatAreNotNames) {
  for (const char* label : {"1.0", "1e2", "9223372036854775808", "null", "true", "{}", "[]"}) {
    expect_refused(kReaders[0], with(kReaders[0], "\"b\"", label), {"line 1", "label"});
    expect_refused(kReaders[1], with(kReaders[1], "\"b\"", label), {"line 1", "label"});
  }
}

TEST(BadJsonLines, FilesThatAreNotFiles) {
  for_each_reader([](const Reader& reader) {
    const TemporaryFolder folder{in_memory()};
    std::filesystem::create_directory(folder / "x.jsonl");
    expect_error(Fault::io, {"x.jsonl"}, [&] { reader.read(folder / "x.jsonl"); });
    expect_error(Fault::io, {"y.jsonl"}, [&] { reader.read(folder / "y.jsonl"); });
    expect_error(Fault::io, {"null.jsonl"}, [&] {
      std::filesystem::create_symlink("null.jsonl", folder / "null.jsonl");
      reader.read(folder / "null.jsonl");
    });
  });
}

}  // namespace
}  // namespace locus
