// The lines of a text. Lines end with "\n" or "\r\n"; the last one may have no line end.
#pragma once

#include <cstdint>
#include <string_view>

namespace locus {

class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}

  // Gets the next line without its line end. Returns false after the last line.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }
  int64_t number() const { return number_; }  // of the current line, from 1

 private:
  std::string_view rest_;
  int64_t number_ = 0;
};

}  // namespace locus
