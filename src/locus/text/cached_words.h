// The tokens of a text word by word, most of them out of a cache, and the caches of a tokenizer: one is lent
// to each encoder at work.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "locus/text/word_cache.h"

namespace locus {

// Puts ids of a text behind those that are there, `share` of the text being done with them. When they outgrow
// their memory they get as much as the text so far lets expect, within reason: a long text's ids are not
// copied again and again. `first` is where the text's ids begin.
inline void append_ids(std::span<const int32_t> fresh, size_t first, double share,
                       std::vector<int32_t>& ids) {
  const size_t count = ids.size() + fresh.size();
  if (count > ids.capacity()) {
    const auto likely = static_cast<size_t>(1.02 * static_cast<double>(count - first) / share);
    ids.reserve(std::max(first + std::min(likely, 4 * count), ids.capacity() + ids.capacity() / 2));
  }
  ids.insert(ids.end(), fresh.begin(), fresh.end());
}

// Calls end_of(text, begin) for the end of the word that begins there, and adds its ids: those that are
// known, or else what miss(begin, end) adds to `ids` itself. A miss that gives false ends it, and comes out
// here.
template <class EndOf, class Miss>
bool append_cached_words(std::string_view text, WordCache& cache, std::vector<int32_t>& ids, EndOf&& end_of,
                         Miss&& miss) {
  // Words are asked for a while before they are needed: that hides how long memory takes.
  constexpr size_t kAhead = 16;
  std::array<WordCache::Question, kAhead> words;
  std::array<int32_t, kAhead * WordCache::kMostIds> known_ids;
  const auto flush = [&, first = ids.size()](size_t known, size_t done) {
    append_ids(std::span(known_ids).first(known), first,
               static_cast<double>(done) / static_cast<double>(text.size()), ids);
  };
  for (size_t begin = 0; begin < text.size();) {
    size_t count = 0, known_count = 0;
    for (; count < kAhead && begin < text.size(); ++count) {
      const size_t end = end_of(text, begin);
      cache.ask(text, begin, end, words[count]);
      begin = end;
    }
    for (const WordCache::Question& word : std::span(words).first(count)) {
      const auto [entry, known] = cache.find(word);
      if (known) {
        std::ranges::copy(entry->ids, known_ids.begin() + known_count);
        known_count += entry->count;
        continue;
      }
      flush(known_count, word.end);
      known_count = 0;
      const size_t before = ids.size();
      if (!miss(word.begin, word.end)) return false;
      if (entry != nullptr) entry->set(word, std::span(ids).subspan(before));
    }
    flush(known_count, begin);
  }
  return true;
}

// Any number of threads may borrow at once; a cache that comes back is the next one's. On cache lines of its
// own: who locks it would take from other threads what they read beside it.
class alignas(64) CacheShelf {
 public:
  class Lent {
   public:
    explicit Lent(CacheShelf& shelf) : shelf_(shelf), cache_(shelf.take()) {}
    ~Lent() { shelf_.put_back(std::move(cache_)); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    WordCache& operator*() const { return *cache_; }

   private:
    CacheShelf& shelf_;
    std::unique_ptr<WordCache> cache_;
  };

 private:
  std::unique_ptr<WordCache> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto cache = std::move(idle_.back());
        idle_.pop_back();
        return cache;
      }
    }
    return std::make_unique<WordCache>();
  }
  void put_back(std::unique_ptr<WordCache> cache) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(cache));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<WordCache>> idle_;
};

}  // namespace locus
