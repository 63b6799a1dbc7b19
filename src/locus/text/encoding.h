// The tokens of a text or of a pair of texts: ids, and the part of the text that each token covers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace locus {

struct TextSpan {
  uint32_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};

struct Encoding {
  static constexpr int8_t kNoText = -1;  // a special token that the tokenizer added around the texts

  std::vector<int32_t> ids;
  std::vector<TextSpan> offsets;  // in the text that `texts` names; (0, 0) for kNoText
  std::vector<int32_t> segments;  // 0, or 1 for the second text and its special tokens
  std::vector<int8_t> texts;      // the text of each token: 0, 1 or kNoText

  size_t size() const { return ids.size(); }
  void push(int32_t id, TextSpan span, int32_t segment, int8_t text) {
    ids.push_back(id);
    offsets.push_back(span);
    segments.push_back(segment);
    texts.push_back(text);
  }
  // Reserves memory for `more` tokens.
  void make_room(size_t more) {
    if (size() + more <= ids.capacity()) return;
    const size_t room = std::max(size() + more, 2 * ids.capacity());
    ids.reserve(room);
    offsets.reserve(room);
    segments.reserve(room);
    texts.reserve(room);
  }
  // Appends tokens [begin, end) of another encoding.
  void append(const Encoding& from, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) push(from.ids[i], from.offsets[i], from.segments[i], from.texts[i]);
  }
  void resize(size_t count) {
    ids.resize(count);
    offsets.resize(count);
    segments.resize(count);
    texts.resize(count);
  }
};

// What the name of a special token in a text means.
enum class Specials {
  are_text,    // ordinary text: for untrusted input
  are_tokens,  // the special token
};

enum class OffsetUnit {
  code_points,
  bytes,
  none,  // no offsets: all are (0, 0), and encoding takes a fraction of the time
};

struct EncodeOptions {
  Specials specials = Specials::are_text;
  bool framed = true;  // add the special tokens of the tokenizer around the texts, such as [CLS] .. [SEP]
  OffsetUnit unit = OffsetUnit::code_points;
  // Truncate to this many tokens, including special tokens. Of a pair, the longer text is cut first.
  size_t longest = std::numeric_limits<size_t>::max();
};

// Converts byte offsets to code point offsets, in place. A byte that is not UTF-8 counts as one code point.
void count_in_code_points(std::string_view text, std::vector<TextSpan>& offsets);

// Truncates a pair to `longest` tokens in total: first the longer text down to the length of the other, then
// both equally.
void truncate_pair(Encoding& first, Encoding& second, size_t longest);

}  // namespace locus
