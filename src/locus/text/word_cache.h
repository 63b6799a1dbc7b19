// Words that were merged before, with their tokens: most words of a text are such. A fixed table in which a
// newer word takes the place of an older one; it changes how long encoding takes, never its result.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace locus {

class WordCache {
 public:
  static constexpr size_t kLongestWord = 32, kMostIds = 7;

  WordCache() : entries_(kEntries) {}

  // One cache line: a word of 1 to 32 bytes, zeros behind it, and its tokens.
  struct alignas(64) Entry {
    std::array<uint64_t, 4> word{};
    std::array<int32_t, kMostIds> ids{};
    uint8_t length = 0, count = 0;
  };

  // The place of text[begin, end), 1 to 32 bytes; `known` says whether its tokens are there.
  struct Place {
    Entry* entry;
    bool known;
  };
  Place find(std::string_view text, size_t begin, size_t end) {
    const size_t length = end - begin;
    std::array<uint64_t, 4> word{};
    if (text.size() - begin >= kLongestWord) {
      std::memcpy(word.data(), text.data() + begin, kLongestWord);
      for (size_t i = 0; i < 4; ++i) word[i] &= mask(length, i);
    } else {
      std::memcpy(word.data(), text.data() + begin, length);
    }
    Entry& entry = entries_[place_of(word, length)];
    if (entry.length == length && entry.word == word) return {&entry, true};
    entry = {.word = word, .length = static_cast<uint8_t>(length)};
    return {&entry, false};
  }

 private:
  static constexpr size_t kEntries = size_t{1} << 15;

  // The bytes of the i-th eight that belong to a word of this length.
  static uint64_t mask(size_t length, size_t i) {
    const size_t bytes = length > 8 * i ? std::min<size_t>(length - 8 * i, 8) : 0;
    return bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
  }
  static size_t place_of(const std::array<uint64_t, 4>& word, size_t length) {
    uint64_t hash = word[0] * 0x9e3779b97f4a7c15u + length;
    if (length > 8) {
      for (size_t i = 1; i < 4; ++i) hash = (std::rotl(hash, 29) ^ word[i]) * 0xd6e8feb86659fd93u;
    }
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(kEntries));
  }

  std::vector<Entry> entries_;
};

}  // namespace locus
