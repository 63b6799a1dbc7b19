#include "locus/text/pipeline/aligned_text.h"

#include <algorithm>
#include <utility>

#include "locus/text/unicode.h"

namespace locus {
namespace {

// The start of the character that contains the byte at `offset`.
size_t character_start(std::string_view text, size_t offset) {
  for (size_t back = 1; back < 4 && back <= offset; ++back) {
    if (character_at(text, offset - back).length > back) return offset - back;
  }
  return offset;
}

}  // namespace

AlignedText AlignedText::slice(size_t begin, size_t end) const {
  AlignedText part(original_, begin_ + begin, begin_ + end, shared_);
  if (!changed_) return part;
  part.changed_ = true;
  part.text_ = text_.substr(begin, end - begin);
  part.sources_.assign(sources_.begin() + static_cast<std::ptrdiff_t>(begin),
                       sources_.begin() + static_cast<std::ptrdiff_t>(end));
  return part;
}

TextSpan AlignedText::source(size_t begin, size_t end) const {
  if (changed_) return {sources_[begin].begin, sources_[end - 1].end};
  const size_t first = character_start(original_, begin_ + begin);
  const size_t last = character_start(original_, begin_ + end - 1);
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(last + character_at(original_, last).length)};
}

void AlignedText::align() {
  if (std::exchange(changed_, true)) return;
  text_ = original_.substr(begin_, end_ - begin_);
  sources_.reserve(text_.size());
  for (size_t i = begin_; i < end_;) {
    const uint32_t length = character_at(original_, i).length;
    const auto at = static_cast<uint32_t>(i);
    sources_.insert(sources_.end(), length, {at, at + length});
    i += length;
  }
}

void AlignedText::rewrite(std::span<const Step> steps, size_t removed) {
  align();
  std::string text;
  std::vector<TextSpan> sources;
  text.reserve(steps.size());
  sources.reserve(steps.size());
  size_t old = 0;  // byte offset of the next character of the old text
  const auto skip = [&] {
    if (old < text_.size()) old += character_at(text_, old).length;
  };
  for (size_t i = 0; i < removed; ++i) skip();
  for (const Step& step : steps) {
    TextSpan source;
    if (step.change > 0) {
      if (old > 0) source = sources_[old - 1];
    } else {
      if (old < sources_.size()) source = sources_[old];
      for (int32_t i = step.change; i <= 0; ++i) skip();
    }
    const size_t before = text.size();
    if (step.code >= 0 && step.code < 0x80) {
      text += static_cast<char>(step.code);
    } else {
      text += utf8(step.code == Character::kNoCode ? 0xfffd : step.code);
    }
    sources.insert(sources.end(), text.size() - before, source);
  }
  text_ = std::move(text);
  sources_ = std::move(sources);
}

void AlignedText::replace(std::span<const Range> ranges, std::string_view word) {
  if (ranges.empty()) return;
  align();
  std::string text;
  std::vector<TextSpan> sources;
  const size_t most = text_.size() + ranges.size() * word.size();
  text.reserve(most);
  sources.reserve(most);
  const auto keep = [&](size_t begin, size_t end) {
    text.append(text_, begin, end - begin);
    sources.insert(sources.end(), sources_.begin() + static_cast<std::ptrdiff_t>(begin),
                   sources_.begin() + static_cast<std::ptrdiff_t>(end));
  };
  size_t done = 0;
  for (const Range& range : ranges) {
    keep(done, range.begin);
    text += word;
    sources.insert(sources.end(), word.size(), range.end == 0 ? TextSpan() : sources_[range.end - 1]);
    done = range.end;
  }
  keep(done, text_.size());
  text_ = std::move(text);
  sources_ = std::move(sources);
}

void AlignedText::become(std::string text, std::span<const Range> from) {
  align();
  std::vector<TextSpan> sources(from.size());
  std::ranges::transform(from, sources.begin(), [&](Range range) { return source(range.begin, range.end); });
  text_ = std::move(text);
  sources_ = std::move(sources);
}

void AlignedText::prepend(std::string_view word) {
  if (text().empty()) return;
  align();
  text_.insert(0, word);
  sources_.insert(sources_.begin(), word.size(), sources_.front());
}

void AlignedText::prepend(std::string_view word, std::vector<Range>& words, const std::vector<bool>& wanted) {
  if (std::ranges::find(wanted, true) == wanted.end()) return;
  align();
  std::string text;
  std::vector<TextSpan> sources;
  const size_t most = text_.size() + words.size() * word.size();
  text.reserve(most);
  sources.reserve(most);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto [begin, end] = words[i];
    words[i].begin = text.size();
    if (wanted[i]) {
      text += word;
      sources.insert(sources.end(), word.size(), sources_[begin]);
    }
    text.append(text_, begin, end - begin);
    sources.insert(sources.end(), sources_.begin() + static_cast<std::ptrdiff_t>(begin),
                   sources_.begin() + static_cast<std::ptrdiff_t>(end));
    words[i].end = text.size();
  }
  text_ = std::move(text);
  sources_ = std::move(sources);
}

}  // namespace locus
