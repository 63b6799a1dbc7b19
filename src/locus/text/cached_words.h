// The tokens of a text word by word, most of them out of a cache, and the caches of a tokenizer: one is lent
// to each encoder at work.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "locus/text/word_cache.h"

namespace locus {

// Calls end_of(text, begin) for the end of the word that begins there, and adds its ids: those that are
// known, or else what miss(begin, end) adds to `ids` itself. A miss that gives false ends it, and comes out
// here.
template <class EndOf, class Miss>
bool append_cached_words(std::string_view text, WordCache& cache, std::vector<int32_t>& ids, EndOf&& end_of,
                         Miss&& miss) {
  // Ids ahead of those written, so that a known word is copied whole: as many as are likely to come.
  const auto room = [&](size_t begin) { return 8 + std::min<size_t>((text.size() - begin) / 3, 1024); };
  size_t count = ids.size();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = end_of(text, begin);
    WordCache::Entry* entry = nullptr;
    if (end - begin <= WordCache::kLongestWord) {
      const auto [place, known] = cache.find(text, begin, end);
      if (known) {
        if (ids.size() < count + WordCache::kMostIds) ids.resize(count + room(begin));
        std::memcpy(ids.data() + count, place->ids.data(), sizeof(place->ids));
        count += place->count;
        begin = end;
        continue;
      }
      entry = place;
    }
    ids.resize(count);
    if (!miss(begin, end)) {
      if (entry != nullptr) entry->forget();
      return false;
    }
    if (entry != nullptr) entry->set(std::span(ids).subspan(count));
    count = ids.size();
    begin = end;
  }
  ids.resize(count);
  return true;
}

// Any number of threads may borrow at once; a cache that comes back is the next one's.
class CacheShelf {
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
