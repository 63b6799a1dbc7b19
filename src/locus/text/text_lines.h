// The lines of a text: between line ends, which may be "\n" or "\r\n"; a last one without an end counts.
#pragma once

#include <cstdint>
#include <string_view>

namespace locus {

class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}

  // The next line without its end; false when there is none left.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }
  int64_t number() const { return number_; }  // of the line last given, the first is 1

 private:
  std::string_view rest_;
  int64_t number_ = 0;
};

}  // namespace locus
