// Detects stop strings in text that arrives in pieces. Text is shown as soon as it is final: it cannot become
// part of a stop string, and it does not end within a character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace locus {

class StopText {
 public:
  explicit StopText(std::vector<std::string> stops);  // not empty strings

  // Adds a piece and returns the text that is now final.
  std::string add(std::string_view piece);
  // Returns the rest, after the last piece.
  std::string finish();
  void stop();  // ends the text after what was shown

  bool stopped() const { return stopped_; }
  const std::string& text() const { return text_; }  // all text so far, without the stop string

 private:
  std::string show(size_t end);
  std::vector<std::string> stops_;
  std::string text_;
  size_t shown_ = 0;
  bool stopped_ = false;
};

}  // namespace locus
