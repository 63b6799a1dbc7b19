#include "locus/text/stop_text.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {
namespace {

// Number of bytes at the end that begin an incomplete character.
size_t half_character(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

StopText::StopText(std::vector<std::string> stops) : stops_(std::move(stops)) {
  if (std::ranges::count(stops_, "") > 0)
    fail(Fault::usage, "got an empty stop string, expected at least one character");
}

std::string StopText::show(size_t end) {
  if (end <= shown_) return "";
  std::string fresh = text_.substr(shown_, end - shown_);
  shown_ = end;
  return fresh;
}

std::string StopText::add(std::string_view piece) {
  const size_t before = text_.size();
  text_ += piece;
  size_t hold = half_character(text_), cut = std::string::npos;
  for (const std::string& stop : stops_) {
    cut = std::min(cut, text_.find(stop, before - std::min(before, stop.size() - 1)));
    for (size_t n = std::min(stop.size() - 1, text_.size()); n > hold; --n) {
      if (text_.ends_with(std::string_view(stop).substr(0, n))) hold = n;
    }
  }
  if (cut == std::string::npos) return show(text_.size() - hold);
  stopped_ = true;
  text_.resize(cut);
  return show(cut);
}

std::string StopText::finish() { return show(text_.size()); }

void StopText::stop() {
  stopped_ = true;
  text_.resize(shown_);
}

}  // namespace locus
