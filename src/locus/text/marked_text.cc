#include "locus/text/marked_text.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {

bool touches(std::span<const TextSpan> ranges, size_t begin, size_t end) {
  const auto first = std::ranges::upper_bound(ranges, begin, {}, &TextSpan::end);  // ends after `begin`
  return begin < end && first != ranges.end() && first->begin < end;
}

MarkedText::MarkedText(std::string bytes, Origin origin) : bytes_(std::move(bytes)) {
  require(bytes_.size() < std::numeric_limits<uint32_t>::max(),
          "text too long: got {} bytes, expected less than 4 GiB", bytes_.size());
  if (origin == Origin::user) mark(0, bytes_.size());
}

bool MarkedText::touches_user(size_t begin, size_t end) const { return touches(user_, begin, end); }

void MarkedText::mark(size_t begin, size_t end) {
  if (begin == end) return;
  if (!user_.empty() && user_.back().end == begin) {
    user_.back().end = static_cast<uint32_t>(end);
  } else {
    user_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  }
}

void MarkedText::append(std::string_view bytes, Origin origin) {
  require(bytes_.size() + bytes.size() < std::numeric_limits<uint32_t>::max(),
          "text too long: got {} bytes, expected less than 4 GiB", bytes_.size() + bytes.size());
  bytes_ += bytes;
  if (origin == Origin::user) mark(bytes_.size() - bytes.size(), bytes_.size());
}

void MarkedText::append(const MarkedText& more) {
  const size_t begin = size();
  append(more.bytes_, Origin::model);
  for (const TextSpan& range : more.user_) mark(begin + range.begin, begin + range.end);
}

MarkedText MarkedText::slice(size_t begin, size_t end) const {
  MarkedText part(bytes_.substr(begin, end - begin));
  auto range = std::ranges::upper_bound(user_, begin, {}, &TextSpan::end);
  for (; range != user_.end() && range->begin < end; ++range) {
    part.mark(std::max<size_t>(range->begin, begin) - begin, std::min<size_t>(range->end, end) - begin);
  }
  return part;
}

}  // namespace locus
