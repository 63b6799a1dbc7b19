// The lines of a file or of stdin, one after the other: never the whole of it in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "locus/base/file.h"

namespace locus::cli {

class LineReader {
 public:
  explicit LineReader(const std::string& file);  // "-" is stdin

  const std::string& name() const { return name_; }  // for errors: 'x.txt', or stdin
  // The next line without its end, "\n" or "\r\n", the first without a byte order mark; false when there is
  // none left. A last one without an end counts.
  bool next(std::string& line);
  int64_t number() const { return number_; }  // of the line last given, the first is 1
  bool would_wait() const;  // whether the next line has to be waited for: someone else is still writing it

 private:
  bool fill();  // false: the end

  std::string name_;
  std::optional<InputFile> file_;  // none: stdin
  uint64_t offset_ = 0;            // in the file
  std::string buffer_;
  size_t begin_ = 0;  // of what was not given yet
  bool ended_ = false;
  int64_t number_ = 0;
};

}  // namespace locus::cli
