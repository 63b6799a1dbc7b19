// Words that were encoded before, with their tokens: most words of a text are such. A fixed table in which a
// newer word takes the place of an older one; it changes how long encoding takes, never its result.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
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

    void forget() { length = 0; }
    void set(std::span<const int32_t> tokens) {
      if (tokens.size() > kMostIds) return forget();  // they do not fit
      std::ranges::copy(tokens, ids.begin());
      count = static_cast<uint8_t>(tokens.size());
    }
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
      for (size_t i = 0; i < 4; ++i) word[i] &= kMasks[length][i];
    } else {
      copy_short(text.data() + begin, length, reinterpret_cast<char*>(word.data()));
    }
    Entry* const newer = &entries_[place_of(word)];
    if (newer->length == length && newer->word == word) return {newer, true};
    // Two words share a place; the one that was asked for last stands first.
    Entry* const older = newer + 1;
    const bool known = older->length == length && older->word == word;
    std::swap(*newer, *older);
    if (!known) *newer = {.word = word, .length = static_cast<uint8_t>(length)};
    return {newer, known};
  }

 private:
  // 8 MiB: half of it would forget a third of the words of a technical text before they come again.
  static constexpr size_t kEntries = size_t{1} << 17;

  // The bytes of the i-th eight that belong to a word of each length.
  static constexpr std::array<std::array<uint64_t, 4>, kLongestWord + 1> kMasks = [] {
    std::array<std::array<uint64_t, 4>, kLongestWord + 1> masks{};
    for (size_t length = 0; length <= kLongestWord; ++length) {
      for (size_t byte = 0; byte < length; ++byte) {
        masks[length][byte / 8] |= uint64_t{0xff} << 8 * (byte % 8);
      }
    }
    return masks;
  }();

  // By two copies of a fixed size that may overlap: a call for a few bytes takes longer than all the rest.
  static void copy_short(const char* from, size_t length, char* to) {
    const auto ends = [&](size_t size) {
      std::memcpy(to, from, size);
      std::memcpy(to + length - size, from + length - size, size);
    };
    if (length >= 16) return ends(16);
    if (length >= 8) return ends(8);
    if (length >= 4) return ends(4);
    for (size_t i = 0; i < length; ++i) to[i] = from[i];
  }

  // The products do not wait for each other.
  static size_t place_of(const std::array<uint64_t, 4>& word) {
    const uint64_t sum = word[0] * 0x9e3779b97f4a7c15u +
                         (word[1] ^ 0x2545f4914f6cdd1du) * 0xd6e8feb86659fd93u +
                         (word[2] ^ word[2] >> 32) * 0xff51afd7ed558ccdu + word[3] * 0xc4ceb9fe1a85ec53u;
    return ((sum ^ sum >> 32) * 0x9e3779b97f4a7c15u >> (65 - std::countr_zero(kEntries))) * 2;
  }

  std::vector<Entry> entries_;
};

}  // namespace locus
