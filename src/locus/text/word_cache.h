// Words that were encoded before, with their tokens: most words of a text are such. A fixed table in which a
// newer word takes the place of an older one; it changes how long encoding takes, never its result.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "locus/base/huge_pages.h"

namespace locus {

class WordCache {
 public:
  static constexpr size_t kLongestWord = 32, kMostIds = 7;

  // Memory that is zero when it is first touched, in large pages: the words of a text are all over it.
  WordCache() : memory_(std::calloc(1, kBytes + kHugePage)) {
    if (memory_ == nullptr) throw std::bad_alloc();
    void* start = memory_.get();
    size_t space = kBytes + kHugePage;
    entries_ = static_cast<Entry*>(std::align(kHugePage, kBytes, start, space));
    use_huge_pages(entries_, kBytes);
  }

  struct Entry;
  // A word that is looked for, text[begin, end).
  struct Question {
    size_t begin, end;
    Entry* places;                 // where it would be; nullptr: it is too long to be remembered
    std::array<uint64_t, 4> word;  // of one that is not
  };

  // One cache line: a word of 1 to 32 bytes, zeros behind it, and its tokens. An empty one has no length.
  struct alignas(64) Entry {
    std::array<uint64_t, 4> word{};
    std::array<int32_t, kMostIds> ids{};
    uint8_t length = 0, count = 0;

    void set(const Question& question, std::span<const int32_t> tokens) {
      if (tokens.size() > kMostIds) return;  // they do not fit
      word = question.word;
      length = static_cast<uint8_t>(question.end - question.begin);
      count = static_cast<uint8_t>(tokens.size());
      std::ranges::copy(tokens, ids.begin());
    }
  };

  // Fetches the word's places from memory, which takes a while: ask early, then find. The word is not empty.
  void ask(std::string_view text, size_t begin, size_t end, Question& question) const {
    const size_t length = end - begin;
    question.begin = begin;
    question.end = end;
    question.places = nullptr;
    if (length > kLongestWord) return;
    if (text.size() - begin >= kLongestWord) {
      std::memcpy(question.word.data(), text.data() + begin, kLongestWord);
      for (size_t i = 0; i < 4; ++i) question.word[i] &= kMasks[length][i];
    } else {
      question.word = {};
      copy_short(text.data() + begin, length, reinterpret_cast<char*>(question.word.data()));
    }
    question.places = entries_ + place_of(question.word);
    __builtin_prefetch(question.places);
  }

  // The entry of a word: of one that is known with its tokens, else empty, or nullptr where it has no place.
  // Of the words that share some places, the one that was looked for last stands first.
  struct Place {
    Entry* entry;
    bool known;
  };
  Place find(const Question& question) {
    Entry* const places = question.places;
    if (places == nullptr) return {nullptr, false};
    const auto there = [&, length = question.end - question.begin](const Entry& entry) {
      return entry.length == length && entry.word == question.word;
    };
    if (there(*places)) return {places, true};
    size_t i = 1;
    while (i < kWays && !there(places[i])) ++i;
    const bool known = i < kWays;
    const Entry found = known ? places[i] : Entry();
    std::copy_backward(places, places + std::min(i, kWays - 1), places + std::min(i, kWays - 1) + 1);
    *places = found;
    return {places, known};
  }

 private:
  // 8 MiB: three places for every different word of 2 MB of technical text.
  static constexpr size_t kSets = size_t{1} << 15, kWays = 4;
  static constexpr size_t kBytes = kSets * kWays * sizeof(Entry);

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
    return ((sum ^ sum >> 32) * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(kSets))) * kWays;
  }

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  Entry* entries_;
};

}  // namespace locus
