// Text that grows until a stop string appears in it, and what of it can be shown already: nothing that may
// still become part of a stop string, and no half character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace locus {

class StopText {
 public:
  explicit StopText(std::vector<std::string> stops);  // none of them empty

  // Adds a piece and returns what can be shown of what was not yet.
  std::string add(std::string_view piece);
  // The rest, when nothing more comes.
  std::string finish();
  void stop();  // where it was shown to

  bool stopped() const { return stopped_; }
  const std::string& text() const { return text_; }  // all so far, without the stop string

 private:
  std::string show(size_t end);
  std::vector<std::string> stops_;
  std::string text_;
  size_t shown_ = 0;
  bool stopped_ = false;
};

}  // namespace locus
