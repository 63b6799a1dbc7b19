// Encodes a text word by word through a cache of words. CachePool holds the caches of a tokenizer; each
// running encoder borrows one.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "locus/text/word_cache.h"

namespace locus {

// Appends ids of a text. `first` is the index of the text's first id, and `share` the fraction of the text
// that is encoded after this call. Memory grows to the size that this fraction predicts, within limits, so
// that the ids of a long text are not copied repeatedly.
inline void append_ids(std::span<const int32_t> fresh, size_t first, double share,
                       std::vector<int32_t>& ids) {
  const size_t count = ids.size() + fresh.size();
  if (count > ids.capacity()) {
    const auto likely = static_cast<size_t>(1.02 * static_cast<double>(count - first) / share);
    ids.reserve(std::max(first + std::min(likely, 4 * count), ids.capacity() + ids.capacity() / 2));
  }
  ids.insert(ids.end(), fresh.begin(), fresh.end());
}

// Splits the text into words, where end_of(text, begin) returns the end of a word, and appends their ids. For
// a word that is not in the cache, miss(begin, end) appends the ids. If it returns false, this function stops
// and returns false.
template <class EndOf, class Miss>
bool append_cached_words(std::string_view text, WordCache& cache, std::vector<int32_t>& ids, EndOf&& end_of,
                         Miss&& miss) {
  // Cache entries are prefetched before they are needed, to hide memory latency.
  constexpr size_t kAhead = 16;
  std::array<WordCache::Query, kAhead> words;
  std::array<int32_t, kAhead * WordCache::kMostIds> known_ids;
  const auto flush = [&, first = ids.size()](size_t known, size_t done) {
    append_ids(std::span(known_ids).first(known), first,
               static_cast<double>(done) / static_cast<double>(text.size()), ids);
  };
  for (size_t begin = 0; begin < text.size();) {
    size_t count = 0, known_count = 0;
    for (; count < kAhead && begin < text.size(); ++count) {
      const size_t end = end_of(text, begin);
      cache.prefetch(text, begin, end, words[count]);
      begin = end;
    }
    for (const WordCache::Query& word : std::span(words).first(count)) {
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

// Any number of threads may borrow caches at the same time; returned caches are reused. Aligned to cache
// lines of its own, so that locking does not slow down threads that read neighboring data (false sharing).
class alignas(64) CachePool {
 public:
  class Borrowed {
   public:
    explicit Borrowed(CachePool& pool) : pool_(pool), cache_(pool.take()) {}
    ~Borrowed() { pool_.put_back(std::move(cache_)); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    WordCache& operator*() const { return *cache_; }

   private:
    CachePool& pool_;
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
