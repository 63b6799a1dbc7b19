// What a command works on, one record after another: words of the command line, or lines of files, or those
// of stdin. A line is a text; or two with a tab between them; or a JSON object, in a file named .jsonl and,
// where JSON was asked for, wherever it begins with a brace.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/error.h"
#include "locus/cli/line_reader.h"

namespace locus::cli {

struct Record {
  std::string place;  // for errors: text 2, or line 7 of 'x.txt'
  std::string text;
  std::optional<std::string> second;
  int64_t number = 0;  // of the text or line, the first is 1
};

struct RecordSource {
  std::string_view command;  // begins errors about its words
  std::vector<std::string> words, files;
  bool json = false;
  // The members of an object; the second, when it has a name, may be left out unless it is needed.
  const char *first = "text", *second = nullptr;
  bool pairs = false;  // a plain line has a tab, and words come two by two
};

class Records {
 public:
  // Told of a record that cannot be one: no UTF-8, no JSON, no pair. The error begins with its place.
  using OnBad = std::function<void(const Error&)>;

  explicit Records(RecordSource source);

  // The next ones, a few thousand at most; at the end none. Those of a stream that waits are not waited for.
  std::vector<Record> next(const OnBad& on_bad);

 private:
  bool next_line(std::string& line);
  std::optional<Record> next_record(const OnBad& on_bad, bool& ended);
  Record of_words();
  Record of_line(const std::string& line) const;

  RecordSource source_;
  size_t word_ = 0, file_ = 0;  // the next ones
  std::unique_ptr<LineReader> lines_;
  bool jsonl_ = false;  // the file's name says so
};

}  // namespace locus::cli
