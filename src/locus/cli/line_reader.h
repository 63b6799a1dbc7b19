// Reads the lines of a file or of stdin one by one, without holding the whole input in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "locus/base/file.h"

namespace locus::cli {

class LineReader {
 public:
  explicit LineReader(const std::string& file);  // "-" is stdin

  const std::string& name() const { return name_; }  // for errors: "'x.txt'" or "stdin"
  // The next line without its end ("\n" or "\r\n"); false at the end of the input. Removes a byte order mark
  // from the first line. A last line without a line end counts.
  bool next(std::string& line);
  int64_t number() const { return number_; }  // of the line returned last, counted from 1
  bool would_wait() const;  // whether next() would block because stdin has no complete line yet

 private:
  bool fill();  // false at the end of the input

  std::string name_;
  std::optional<InputFile> file_;  // absent: stdin
  uint64_t offset_ = 0;            // of the next read in the file
  std::string buffer_;
  size_t begin_ = 0;  // of the part of buffer_ that was not returned yet
  bool ended_ = false;
  int64_t number_ = 0;
};

}  // namespace locus::cli
