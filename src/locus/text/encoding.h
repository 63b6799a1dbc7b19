// What a tokenizer makes of a text, or of two: ids, and where in the text each of them comes from.
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
  static constexpr int8_t kNoText = -1;  // a token that the vocabulary put around the texts

  std::vector<int32_t> ids;
  std::vector<TextSpan> offsets;  // in the text that `texts` says; (0, 0) of a token that comes from none
  std::vector<int32_t> segments;  // 0, or 1 for what belongs to a second text
  std::vector<int8_t> texts;      // which of the texts: 0, 1 or kNoText

  size_t size() const { return ids.size(); }
  void push(int32_t id, TextSpan span, int32_t segment, int8_t text) {
    ids.push_back(id);
    offsets.push_back(span);
    segments.push_back(segment);
    texts.push_back(text);
  }
  // Before so many more are pushed.
  void make_room(size_t more) {
    if (size() + more <= ids.capacity()) return;
    const size_t room = std::max(size() + more, 2 * ids.capacity());
    ids.reserve(room);
    offsets.reserve(room);
    segments.reserve(room);
    texts.reserve(room);
  }
  // Tokens [begin, end) of another one.
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

// What the name of a special token in a text is.
enum class Specials {
  are_text,  // letters like all others: for text from outside
  are_read,  // the token
};

enum class OffsetUnit {
  code_points,
  bytes,
  none,  // no offsets are wanted: all are (0, 0), and encoding takes a fraction of the time
};

struct EncodeOptions {
  Specials specials = Specials::are_text;
  bool framed = true;  // with the tokens the vocabulary puts around a text, as [CLS] .. [SEP]
  OffsetUnit unit = OffsetUnit::code_points;
  // Tokens at most, those around the texts among them; of two texts the longer one is cut first.
  size_t longest = std::numeric_limits<size_t>::max();
};

// From bytes to code points, in place. A byte that is no UTF-8 counts as one.
void count_in_code_points(std::string_view text, std::vector<TextSpan>& offsets);

// Cuts both to `longest` tokens together: the longer one to the length of the other, then both alike.
void truncate_pair(Encoding& first, Encoding& second, size_t longest);

}  // namespace locus
