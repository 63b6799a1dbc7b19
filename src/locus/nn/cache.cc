#include "locus/nn/cache.h"

#include <algorithm>

namespace locus {
namespace {

// Appends the rows of sequence b of a packed batch to its room of a layer, after `count` tokens.
void append(std::vector<op::KeyRoom>& layers, int64_t layer, int64_t count, const Placement& batch, int64_t b,
            const Tensor& keys, const Tensor& values, int64_t key_heads) {
  const auto index = static_cast<size_t>(layer);
  if (layers.size() <= index) layers.resize(index + 1);
  const auto starts = batch.sequences().query_starts.values();
  op::append(layers[index], count, keys.rows(starts[b], starts[b + 1]), values.rows(starts[b], starts[b + 1]),
             key_heads);
}

std::vector<op::KeyRoom> copies(const std::vector<op::KeyRoom>& rooms, int64_t count) {
  std::vector<op::KeyRoom> result;
  for (const op::KeyRoom& room : rooms) result.push_back(op::copy(room, count));
  return result;
}

}  // namespace

Cache::Pass Cache::begin(const Placement& fresh, const Placement* texts) {
  require(fresh.count() == count(), "KV cache: got {} sequences, expected {}", fresh.count(), count());
  std::vector<std::span<const int32_t>> seen;
  std::vector<int64_t> lengths;  // of the texts of all sequences
  int64_t next = 0;
  for (const Sequence& sequence : sequences_) {
    seen.emplace_back(sequence.positions);
    if (!texts) continue;
    lengths.push_back(sequence.text_length    ? *sequence.text_length
                      : next < texts->count() ? texts->length(next)
                                              : 0);
    if (!sequence.text_length) ++next;
  }
  placement_ = fresh.after(seen);
  texts_ = texts ? std::optional(*texts) : std::nullopt;
  if (!texts) return {*placement_, {}};
  require(next == texts->count(), "KV cache: got {} encoder texts, expected {}", texts->count(), next);
  return {*placement_, placement_->cross_attention(Placement::of_lengths(lengths))};
}

void Cache::end() {
  const Sequences& all = placement_->sequences();
  const auto starts = all.key_starts.values();
  const auto positions = all.key_positions.values();
  int64_t next = 0;
  for (size_t b = 0; b < sequences_.size(); ++b) {
    sequences_[b].positions.assign(positions.begin() + starts[b], positions.begin() + starts[b + 1]);
    if (texts_ && !sequences_[b].text_length) sequences_[b].text_length = texts_->length(next++);
  }
  placement_.reset();
  texts_.reset();
}

std::vector<op::KeyRoom> Cache::extend(int64_t layer, const Tensor& keys, const Tensor& values,
                                       int64_t key_heads) {
  std::vector<op::KeyRoom> rooms;
  for (int64_t b = 0; b < count(); ++b) {
    Sequence& own = sequences_[static_cast<size_t>(b)];
    append(own.layers, layer, length(b), *placement_, b, keys, values, key_heads);
    rooms.push_back(own.layers[static_cast<size_t>(layer)]);
  }
  return rooms;
}

void Cache::add_texts(int64_t layer, const Tensor& keys, const Tensor& values, int64_t key_heads) {
  int64_t next = 0;
  for (Sequence& own : sequences_) {
    if (!own.text_length) append(own.texts, layer, 0, *texts_, next++, keys, values, key_heads);
  }
}

std::vector<op::KeyRoom> Cache::texts(int64_t layer) const {
  std::vector<op::KeyRoom> rooms;
  for (const Sequence& own : sequences_) {
    const bool empty = own.texts.size() <= static_cast<size_t>(layer);  // a text without tokens
    rooms.push_back(empty ? op::KeyRoom() : own.texts[static_cast<size_t>(layer)]);
  }
  return rooms;
}

int64_t Cache::length(int64_t sequence) const {
  return std::ssize(sequences_.at(static_cast<size_t>(sequence)).positions);
}

bool Cache::has_text(int64_t sequence) const {
  return sequences_.at(static_cast<size_t>(sequence)).text_length.has_value();
}

void Cache::truncate(int64_t sequence, int64_t length) {
  require(length >= 0 && length <= this->length(sequence),
          "KV cache: sequence {} has {} tokens, expected at least {}", sequence, this->length(sequence),
          length);
  sequences_[static_cast<size_t>(sequence)].positions.resize(static_cast<size_t>(length));
}

// The keys of texts never change, so all copies share them.
Cache::Sequence Cache::copy_of(const Sequence& sequence) const {
  Sequence copy = sequence;
  copy.layers = copies(sequence.layers, std::ssize(sequence.positions));
  return copy;
}

void Cache::select(std::span<const int64_t> sequences) {
  std::vector<Sequence> selected(sequences.size());
  std::vector<size_t> first(sequences_.size(), sequences.size());  // where a sequence is selected first
  for (size_t i = 0; i < sequences.size(); ++i) {
    require(sequences[i] >= 0 && sequences[i] < count(), "KV cache: sequence is {}, expected 0 to {}",
            sequences[i], count() - 1);
    const auto b = static_cast<size_t>(sequences[i]);
    if (first[b] == sequences.size()) {
      first[b] = i;
    } else {
      selected[i] = copy_of(sequences_[b]);
    }
  }
  for (size_t b = 0; b < first.size(); ++b) {
    if (first[b] < sequences.size()) selected[first[b]] = std::move(sequences_[b]);
  }
  sequences_ = std::move(selected);
}

}  // namespace locus
