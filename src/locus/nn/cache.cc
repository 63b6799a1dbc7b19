#include "locus/nn/cache.h"

#include <algorithm>

namespace locus {
namespace {

void copy_rows(const Tensor& to, int64_t at, const Tensor& from, int64_t begin, int64_t end) {
  to.rows(at, at + end - begin).copy_from(from.rows(begin, end));
}

// Memory for `rows` rows with the widths of `sample`.
Cache::Rows room_for(int64_t rows, const Cache::Rows& sample) {
  return {sample.keys.like({rows, sample.keys.size(1)}), sample.values.like({rows, sample.values.size(1)})};
}

void copy_rows(const Cache::Rows& to, int64_t at, const Cache::Rows& from, int64_t begin, int64_t end) {
  copy_rows(to.keys, at, from.keys, begin, end);
  copy_rows(to.values, at, from.values, begin, end);
}

Cache::Rows select_rows(const Cache::Rows& rows, std::span<const int32_t> starts,
                        std::span<const int64_t> sequences) {
  int64_t total = 0;
  for (const int64_t b : sequences) total += starts[b + 1] - starts[b];
  const Cache::Rows selected = room_for(total, rows);
  int64_t at = 0;
  for (const int64_t b : sequences) {
    copy_rows(selected, at, rows, starts[b], starts[b + 1]);
    at += starts[b + 1] - starts[b];
  }
  return selected;
}

}  // namespace

Placement Cache::begin(const Placement& fresh) {
  before_.assign(static_cast<size_t>(fresh.count()) + 1, 0);
  if (placement_) {
    const auto starts = placement_->sequences().key_starts.data<int32_t>();
    require(fresh.count() == placement_->count(), "KV cache: got {} sequences, expected {}", fresh.count(),
            placement_->count());
    before_.assign(starts.begin(), starts.end());
    placement_ = fresh.after(*placement_);
  } else {
    placement_ = fresh;
  }
  return *placement_;
}

void Cache::append(Layer& layer, const Rows& fresh) const {
  const int64_t added = fresh.keys.size(0), wanted = layer.filled + added;
  if (!layer.room.keys || layer.room.keys.size(0) < wanted) {
    const Rows larger = room_for(std::max<int64_t>(2 * wanted, 64), fresh);
    if (layer.filled > 0) copy_rows(larger, 0, layer.room, 0, layer.filled);
    layer.room = larger;
  }
  copy_rows(layer.room, layer.filled, fresh, 0, added);
  layer.filled = wanted;
}

void Cache::interleave(Layer& layer, const Rows& fresh) const {
  const auto starts = placement_->sequences().key_starts.data<int32_t>();
  const Rows interleaved = room_for(placement_->keys(), fresh);
  for (size_t b = 0; b + 1 < starts.size(); ++b) {
    const int64_t old = before_[b + 1] - before_[b], begin = starts[b] - before_[b];
    if (old > 0) copy_rows(interleaved, starts[b], layer.room, before_[b], before_[b + 1]);
    copy_rows(interleaved, starts[b] + old, fresh, begin, starts[b + 1] - before_[b + 1]);
  }
  layer.room = interleaved;
  layer.filled = placement_->keys();
}

Cache::Rows Cache::extend(int64_t layer, const Rows& fresh) {
  if (layers_.size() <= static_cast<size_t>(layer)) layers_.resize(static_cast<size_t>(layer) + 1);
  Layer& own = layers_[static_cast<size_t>(layer)];
  require(own.filled + fresh.keys.size(0) == placement_->keys(),
          "KV cache: layer {} would have {} rows, expected {}", layer, own.filled + fresh.keys.size(0),
          placement_->keys());
  if (placement_->count() == 1) {
    append(own, fresh);
  } else {
    interleave(own, fresh);
  }
  return {own.room.keys.rows(0, own.filled), own.room.values.rows(0, own.filled)};
}

bool Cache::has_cross_attention(int64_t layer) const {
  return static_cast<size_t>(layer) < cross_attention_.size() &&
         cross_attention_[static_cast<size_t>(layer)].keys;
}

void Cache::set_cross_attention(int64_t layer, const Rows& rows, const Placement& text) {
  if (cross_attention_.size() <= static_cast<size_t>(layer))
    cross_attention_.resize(static_cast<size_t>(layer) + 1);
  cross_attention_[static_cast<size_t>(layer)] = rows;
  text_ = text;
}

void Cache::select(std::span<const int64_t> sequences) {
  if (!placement_) return;
  const auto starts = placement_->sequences().key_starts.data<int32_t>();
  for (Layer& layer : layers_) {
    layer.room = select_rows(layer.room, starts, sequences);
    layer.filled = layer.room.keys.size(0);
  }
  placement_ = placement_->select(sequences);
  if (!text_) return;
  const auto text_starts = text_->sequences().key_starts.data<int32_t>();
  for (Rows& rows : cross_attention_) rows = select_rows(rows, text_starts, sequences);
  text_ = text_->select(sequences);
}

}  // namespace locus
