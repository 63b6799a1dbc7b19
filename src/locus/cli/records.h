// The input of a command, one record at a time: arguments of the command line, lines of files, or lines of
// stdin. A line holds a text, or two texts separated by a tab. In JSON Lines input it holds a JSON object: in
// files named .jsonl, or if the caller sets it.
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
  std::string place;  // for errors: "text 2" or "line 7 of 'x.txt'"
  std::string text;
  std::optional<std::string> second;
  int64_t number = 0;    // of the text or line, counted from 1
  bool is_json = false;  // the text is a line of JSON Lines input, see RecordSource::keeps_objects
};

enum class InputFormat {
  by_name,  // JSON Lines if the file name ends in .jsonl, else text
  text,
  jsonl,
};

struct RecordSource {
  std::string_view command;  // the prefix of usage errors
  std::vector<std::string> words, files;
  InputFormat format = InputFormat::by_name;
  // Member names of a JSON object. The second member, if it has a name, is optional unless `pairs` is set.
  const char *first = "text", *second = nullptr;
  bool keeps_objects = false;  // the text of a line of JSON Lines input is the whole line
  size_t scale = 1;            // multiplies the number of records that next() returns
  bool pairs = false;          // lines hold two texts with a tab between them; arguments come in pairs

  bool is_jsonl(const std::string& file) const;
};

class Records {
 public:
  // Called for a record that is not valid UTF-8, not valid JSON, or not a pair. The error names its place.
  using OnBad = std::function<void(const Error&)>;

  explicit Records(RecordSource source);

  // The next records, a few thousand at most; none at the end of the input. Does not wait for more lines of a
  // stream if it already has some.
  std::vector<Record> next(const OnBad& on_bad);

  bool can_rewind() const;  // no input is stdin
  void rewind();            // back to the first record

 private:
  bool next_line(std::string& line);
  std::optional<Record> next_record(const OnBad& on_bad, bool& ended);
  Record of_words();
  Record of_line(std::string line) const;

  RecordSource source_;
  size_t word_ = 0, file_ = 0;  // indices of the next word and file
  std::unique_ptr<LineReader> lines_;
  bool jsonl_ = false;  // whether the current file is JSON Lines
};

}  // namespace locus::cli
