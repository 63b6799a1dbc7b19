#include "locus/text/chat_template/rewrite.h"

#include <utf8proc.h>

#include <algorithm>

#include "locus/text/chat_template/blank.h"
#include "locus/text/chat_template/print.h"
#include "locus/text/pipeline/normalizer.h"

namespace locus::chat {
namespace {

constexpr size_t kNowhere = std::string::npos;

// The characters of a text, as texts that refer to it.
std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> result;
  for (size_t i = 0; i < text.size(); i += result.back().size()) {
    result.push_back(text.substr(i, character_at(text, i).length));
  }
  return result;
}

bool begins_word(char c) { return std::string_view("-({[<").find(c) != kNowhere; }

std::string changed(std::string_view bytes, Letters letters, bool& in_word) {
  std::string result;
  for (size_t i = 0; i < bytes.size();) {
    const Character character = character_at(bytes, i);
    const int32_t code = character.code;
    const bool first = !in_word;
    const bool cased =
        code != Character::kNoCode && (utf8proc_toupper(code) != code || utf8proc_tolower(code) != code);
    in_word = letters == Letters::title          ? cased
              : letters == Letters::title_filter ? !is_blank(character) && !begins_word(bytes[i])
                                                 : true;
    const bool up = letters == Letters::upper || (letters != Letters::lower && first);
    const int32_t other = code == Character::kNoCode  ? code
                          : !up                       ? utf8proc_tolower(code)
                          : letters == Letters::upper ? utf8proc_toupper(code)
                                                      : utf8proc_totitle(code);
    if (up && code == 0xdf) {
      result += letters == Letters::upper ? "SS" : "Ss";
    } else {
      const std::string_view same = bytes.substr(i, character.length);
      result += other == code ? std::string(same) : up ? utf8(other) : lowered(same);
    }
    i += character.length;
  }
  return result;
}

void push_slice(std::vector<Value>& parts, const MarkedText& text, size_t begin, size_t end) {
  parts.emplace_back(text.slice(begin, end));
}

std::vector<Value> split_at_blanks(const MarkedText& text, size_t most, bool from_right) {
  const std::string_view all = text.bytes();
  std::vector<Value> parts;
  size_t begin = stripped_begin(all), end = std::max(stripped_end(all), begin);
  while (begin < end && parts.size() < most) {
    const std::string_view rest = all.substr(begin, end - begin);
    size_t cut = from_right ? rest.size() : 0;  // where the word ends, or begins
    while (from_right && cut > 0 && !is_blank(character_before(rest, cut)))
      cut -= character_before(rest, cut).length;
    while (!from_right && cut < rest.size() && !is_blank(character_at(rest, cut)))
      cut += character_at(rest, cut).length;
    if (from_right) {
      push_slice(parts, text, begin + cut, end);
      end = begin + stripped_end(rest.substr(0, cut));
    } else {
      push_slice(parts, text, begin, begin + cut);
      begin += cut + stripped_begin(rest.substr(cut));
    }
  }
  if (begin < end) push_slice(parts, text, from_right ? 0 : begin, from_right ? end : all.size());
  return parts;
}

}  // namespace

MarkedText stripped(const MarkedText& text, Side side, const std::optional<std::string>& blanks) {
  const std::string_view all = text.bytes();
  size_t begin = 0, end = all.size();
  if (!blanks) {
    if (side != Side::left) end = stripped_end(all);
    if (side != Side::right) begin = std::min(stripped_begin(all), end);
    return text.slice(begin, end);
  }
  const std::vector<std::string_view> removed = characters_of(*blanks);
  const auto is_removed = [&](size_t at, size_t length) {
    return std::ranges::find(removed, all.substr(at, length)) != removed.end();
  };
  while (side != Side::right && begin < end && is_removed(begin, character_at(all, begin).length)) {
    begin += character_at(all, begin).length;
  }
  while (side != Side::left && end > begin) {
    const size_t length = character_before(all, end).length;
    if (!is_removed(end - length, length)) break;
    end -= length;
  }
  return text.slice(begin, end);
}

MarkedText with_letters(const MarkedText& text, Letters letters) {
  MarkedText result;
  bool in_word = false;
  text.each_part([&](std::string_view bytes, Origin origin) {
    result.append(changed(bytes, letters, in_word), origin);
  });
  return result;
}

MarkedText replaced(Steps& steps, const MarkedText& text, const std::string& from, const MarkedText& to,
                    int64_t most) {
  steps.bytes(text.size());
  MarkedText result;
  const std::string& all = text.bytes();
  size_t done = 0;
  for (size_t at = 0; most != 0 && at <= all.size(); --most) {
    const size_t found = from.empty() ? at : all.find(from, at);
    if (found == kNowhere) break;
    result.append(text.slice(done, found));
    result.append(to);
    steps.take();
    require(result.size() <= Steps::kMostBytes, "replace: the text has more than {} bytes",
            size_t{Steps::kMostBytes});
    done = found + from.size();
    at = from.empty() ? (at < all.size() ? at + character_at(all, at).length : kNowhere) : done;
    if (at == kNowhere) break;
  }
  result.append(text.slice(done, all.size()));
  steps.bytes(result.size());
  return result;
}

std::vector<Value> split(Steps& steps, const MarkedText& text, const std::optional<std::string>& separator,
                         int64_t most, bool from_right) {
  steps.bytes(text.size());
  const size_t cuts = most < 0 ? kNowhere : static_cast<size_t>(most);
  std::vector<Value> parts;
  if (!separator) {
    parts = split_at_blanks(text, cuts, from_right);
  } else {
    require(!separator->empty(), "split: the separator is empty");
    const std::string& all = text.bytes();
    size_t begin = 0, end = all.size();
    while (parts.size() < cuts) {
      const size_t size = separator->size();
      const size_t found = !from_right   ? all.find(*separator, begin)
                           : end >= size ? all.rfind(*separator, end - size)
                                         : kNowhere;
      if (found == kNowhere) break;
      push_slice(parts, text, from_right ? found + size : begin, from_right ? end : found);
      (from_right ? end : begin) = from_right ? found : found + size;
    }
    push_slice(parts, text, begin, end);
  }
  if (from_right) std::ranges::reverse(parts);
  steps.take(1 + parts.size());
  return parts;
}

std::vector<Value> split_lines(Steps& steps, const MarkedText& text, bool keeps_ends) {
  steps.bytes(text.size());
  const std::string& all = text.bytes();
  std::vector<Value> lines;
  for (size_t begin = 0, i = 0; i < all.size();) {
    const Character c = character_at(all, i);
    const bool ends = (c.code >= 0x0a && c.code <= 0x0d) || (c.code >= 0x1c && c.code <= 0x1e) ||
                      c.code == 0x85 || c.code == 0x2028 || c.code == 0x2029;
    size_t next = i + c.length;
    if (c.code == '\r' && next < all.size() && all[next] == '\n') ++next;
    if (ends) push_slice(lines, text, begin, keeps_ends ? next : i);
    if (ends) begin = next;
    if (!ends && next == all.size()) push_slice(lines, text, begin, next);
    i = next;
  }
  steps.take(1 + lines.size());
  return lines;
}

Value joined(Steps& steps, const MarkedText& separator, const std::vector<Value>& items) {
  MarkedText result;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result.append(separator);
    result.append(printed(steps, items[i]));
    require(result.size() <= Steps::kMostBytes, "join: the text has more than {} bytes",
            size_t{Steps::kMostBytes});
  }
  steps.bytes(result.size());
  return Value(std::move(result));
}

}  // namespace locus::chat
