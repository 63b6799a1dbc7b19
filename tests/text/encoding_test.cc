#include "locus/text/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "locus/text/unicode.h"

namespace locus {
namespace {

// The number of characters that begin before each byte, counted one by one.
std::vector<uint32_t> character_numbers(std::string_view text) {
  std::vector<uint32_t> numbers;
  uint32_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) {
    const size_t length = character_at(text, i).length;
    numbers.insert(numbers.end(), length, count);
    i += length;
  }
  numbers.push_back(count);
  return numbers;
}

// Spans in any order, of texts with characters of all lengths and with bytes that are not UTF-8.
RC_GTEST_PROP(Offsets, AreCountedInCodePoints, ()) {
  const char* const pieces[] = {"a", " ", "\xc3\xa9", "\xe7\x8b\x97", "\xf0\x9f\x90\xb6", "\xff", "\xe7"};
  std::string text = "\xc3\xa9";
  for (const size_t piece : *rc::gen::container<std::vector<size_t>>(1000, rc::gen::inRange<size_t>(0, 7))) {
    text += pieces[piece];
  }
  const std::vector<uint32_t> numbers = character_numbers(text);
  std::vector<TextSpan> spans, expected;
  for (int i = 0; i < 50; ++i) {
    const auto begin = *rc::gen::inRange<uint32_t>(0, static_cast<uint32_t>(text.size()) + 1);
    const auto end = *rc::gen::inRange<uint32_t>(begin, static_cast<uint32_t>(text.size()) + 1);
    spans.push_back({begin, end});
    expected.push_back({numbers[begin], numbers[end]});
  }
  count_in_code_points(text, spans);
  RC_ASSERT(spans == expected);
}

}  // namespace
}  // namespace locus
