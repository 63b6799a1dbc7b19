// A cache of words and their tokens: most words of a text occur repeatedly. The table has a fixed size, and
// newer words replace older ones. It changes the speed of encoding, never its result.
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

  // calloc gives memory that is zeroed on first touch. Huge pages, because accesses are spread over all of
  // it.
  WordCache() : memory_(std::calloc(1, kBytes + kHugePage)) {
    if (memory_ == nullptr) throw std::bad_alloc();
    void* start = memory_.get();
    size_t space = kBytes + kHugePage;
    entries_ = static_cast<Entry*>(std::align(kHugePage, kBytes, start, space));
    use_huge_pages(entries_, kBytes);
  }

  struct Entry;
  // The lookup of a word, text[begin, end).
  struct Query {
    size_t begin, end;
    Entry* places;                 // the set of the word; nullptr if the word is too long for the cache
    std::array<uint64_t, 4> word;  // the bytes, if it is not too long
  };

  // One cache line: a word of 1 to 32 bytes, padded with zeros, and its tokens. Empty if length is 0.
  struct alignas(64) Entry {
    std::array<uint64_t, 4> word{};
    std::array<int32_t, kMostIds> ids{};
    uint8_t length = 0, count = 0;

    void set(const Query& query, std::span<const int32_t> tokens) {
      if (tokens.size() > kMostIds) return;  // too many tokens for an entry
      word = query.word;
      length = static_cast<uint8_t>(query.end - query.begin);
      count = static_cast<uint8_t>(tokens.size());
      std::ranges::copy(tokens, ids.begin());
    }
  };

  // Prepares a query and prefetches its set, to hide memory latency: prefetch several words, then find them.
  // The word must not be empty.
  void prefetch(std::string_view text, size_t begin, size_t end, Query& query) const {
    const size_t length = end - begin;
    query.begin = begin;
    query.end = end;
    query.places = nullptr;
    if (length > kLongestWord) return;
    if (text.size() - begin >= kLongestWord) {
      std::memcpy(query.word.data(), text.data() + begin, kLongestWord);
      for (size_t i = 0; i < 4; ++i) query.word[i] &= kMasks[length][i];
    } else {
      query.word = {};
      copy_short(text.data() + begin, length, reinterpret_cast<char*>(query.word.data()));
    }
    query.places = entries_ + place_of(query.word);
    __builtin_prefetch(query.places);
  }

  // The entry of a word: with its tokens if the word is known, otherwise empty, or nullptr if the word is too
  // long. The entries of a set are in the order of their last use, and the least recently used one is
  // replaced.
  struct Place {
    Entry* entry;
    bool known;
  };
  Place find(const Query& query) {
    Entry* const places = query.places;
    if (places == nullptr) return {nullptr, false};
    const auto matches = [&, length = query.end - query.begin](const Entry& entry) {
      return entry.length == length && entry.word == query.word;
    };
    if (matches(*places)) return {places, true};
    size_t i = 1;
    while (i < kWays && !matches(places[i])) ++i;
    const bool known = i < kWays;
    const Entry found = known ? places[i] : Entry();
    std::copy_backward(places, places + std::min(i, kWays - 1), places + std::min(i, kWays - 1) + 1);
    *places = found;
    return {places, known};
  }

 private:
  // 8 MiB: three entries for every distinct word of 2 MB of technical text.
  static constexpr size_t kSets = size_t{1} << 15, kWays = 4;
  static constexpr size_t kBytes = kSets * kWays * sizeof(Entry);

  // kMasks[length][i]: the bytes of the i-th 8-byte group that belong to a word of this length.
  static constexpr std::array<std::array<uint64_t, 4>, kLongestWord + 1> kMasks = [] {
    std::array<std::array<uint64_t, 4>, kLongestWord + 1> masks{};
    for (size_t length = 0; length <= kLongestWord; ++length) {
      for (size_t byte = 0; byte < length; ++byte) {
        masks[length][byte / 8] |= uint64_t{0xff} << 8 * (byte % 8);
      }
    }
    return masks;
  }();

  // Two copies of a fixed size that may overlap: a memcpy call of variable size would dominate the time.
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

  // The products are independent of each other, so they run in parallel.
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
