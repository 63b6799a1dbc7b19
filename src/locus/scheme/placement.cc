#include "locus/scheme/placement.h"

#include <algorithm>
#include <limits>

#include "locus/base/checked.h"
#include "locus/op/contiguous.h"
#include "locus/scheme/position_ids.h"

namespace locus {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

// One side of a placement, queries or keys, while it is being built.
struct Side {
  std::vector<int32_t> starts{0}, positions;

  void add(int64_t position) {
    require(position <= kMost, Code::bad_position, "Placement: position is {}, expected at most {}", position,
            kMost);
    require(static_cast<int64_t>(positions.size()) < kMost, "Placement: too many tokens, expected at most {}",
            kMost);
    positions.push_back(static_cast<int32_t>(position));
  }
  void close_sequence() { starts.push_back(static_cast<int32_t>(positions.size())); }
};

bool all_contiguous(std::span<const int32_t> starts, std::span<const int32_t> positions) {
  for (size_t b = 0; b + 1 < starts.size(); ++b) {
    if (!rise_by_one(positions.subspan(starts[b], starts[b + 1] - starts[b]))) return false;
  }
  return true;
}

Sequences join(const Indices& query_starts, const Indices& query_positions, const Indices& key_starts,
               const Indices& key_positions) {
  Sequences sequences{query_starts, key_starts, query_positions, key_positions};
  const auto starts = key_starts.values();
  for (size_t b = 0; b + 1 < starts.size(); ++b) {
    sequences.longest_keys = std::max<int64_t>(sequences.longest_keys, starts[b + 1] - starts[b]);
  }
  sequences.contiguous = all_contiguous(query_starts.values(), query_positions.values()) &&
                         all_contiguous(starts, key_positions.values());
  return sequences;
}

// Self-attention: keys and queries are the same tokens.
Sequences over_itself(const Side& side) {
  const Indices starts = Indices::of(side.starts), positions = Indices::of(side.positions);
  return join(starts, positions, starts, positions);
}

std::span<const int32_t> sequence_positions(const Indices& starts, const Indices& positions,
                                            int64_t sequence) {
  const auto bounds = starts.values();
  return positions.values().subspan(bounds[sequence], bounds[sequence + 1] - bounds[sequence]);
}

void check_policy(PositionPolicy policy) {
  require(policy.offset >= 0, "Placement: policy.offset is {}, expected 0 or more", policy.offset);
}

void check_sequences(const char* what, int64_t count, int64_t other) {
  require(count == other, "Placement::{}: got {} sequences, but the other placement has {}", what, count,
          other);
}

}  // namespace

Placement Placement::of_lengths(std::span<const int64_t> lengths, PositionPolicy policy) {
  check_policy(policy);
  Side side;
  for (size_t b = 0; b < lengths.size(); ++b) {
    require(lengths[b] >= 0, "Placement: sequence {} has length {}, expected 0 or more", b, lengths[b]);
    require(lengths[b] <= kMost - static_cast<int64_t>(side.positions.size()),
            "Placement: too many tokens with sequence {} of length {}, expected at most {}", b, lengths[b],
            kMost);
    for (int64_t n = 0; n < lengths[b]; ++n) side.add(policy.offset + n);
    side.close_sequence();
  }
  Placement placement;
  placement.sequences_ = over_itself(side);
  placement.offset_ = policy.offset;
  return placement;
}

Placement Placement::of_rectangle(std::span<const uint8_t> real, int64_t rows, int64_t columns,
                                  PositionPolicy policy) {
  check_policy(policy);
  require(rows <= kMost, "Placement: got {} rows, expected at most {}", rows, kMost);
  Side side;
  Placement placement;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t count = 0;
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t index = row * columns + column;
      if (!real.empty() && real[index] == 0) continue;
      side.add(policy.offset + (policy.kind == PositionPolicy::Kind::row ? column : count++));
      placement.source_.push_back(index);
    }
    side.close_sequence();
  }
  placement.sequences_ = over_itself(side);
  placement.offset_ = policy.offset;
  placement.columns_ = columns;
  return placement;
}

Placement Placement::rectangle(int64_t rows, int64_t columns, PositionPolicy policy) {
  require(rows >= 0 && columns >= 0, "Placement::rectangle: size is {} x {}, expected 0 or more", rows,
          columns);
  require(checked_multiply(rows, columns, "Placement::rectangle") <= kMost,
          "Placement::rectangle: too many tokens, {} x {}, expected at most {}", rows, columns, kMost);
  return of_rectangle({}, rows, columns, policy);
}

Placement Placement::masked(const Tensor& mask, PositionPolicy policy) {
  // Not an argument of the call below: read_mask() must check the rank before size() is called, and the
  // evaluation order of arguments is unspecified.
  const std::vector<uint8_t> real = read_mask("Placement::masked", mask);
  return of_rectangle(real, mask.size(0), mask.size(1), policy);
}

Placement Placement::given(const Tensor& ids, const Tensor& mask, int64_t table_length) {
  constexpr const char* kWhat = "Placement::given";
  const std::vector<uint8_t> real = mask ? read_mask(kWhat, mask) : std::vector<uint8_t>();
  require(!mask || mask.shape() == ids.shape(), Code::bad_shape,
          "{}: mask has shape {}, expected the shape of the positions, {}", kWhat, mask.shape(), ids.shape());
  const std::vector<int32_t> positions = read_position_ids(
      kWhat, ids, real, table_length > 0 ? std::optional<int64_t>(table_length) : std::nullopt);
  Placement placement = of_rectangle(real, ids.size(0), ids.size(1), {});
  std::vector<int32_t> packed;
  for (const int64_t index : placement.source_) packed.push_back(positions[index]);
  const Indices starts = placement.sequences_.query_starts, values = Indices::of(packed);
  placement.sequences_ = join(starts, values, starts, values);
  placement.offset_.reset();
  return placement;
}

Placement Placement::after(const Placement& past) const {
  std::vector<std::span<const int32_t>> seen;
  for (int64_t b = 0; b < past.count(); ++b) {
    seen.push_back(sequence_positions(past.sequences_.key_starts, past.sequences_.key_positions, b));
  }
  return after(seen);
}

Placement Placement::after(std::span<const std::span<const int32_t>> past) const {
  check_sequences("after", count(), std::ssize(past));
  require(sequences_.key_starts.same_as(sequences_.query_starts),
          "Placement::after: called on a placement that after() or cross_attention() already changed");
  Side queries, keys;
  for (int64_t b = 0; b < count(); ++b) {
    const std::span<const int32_t> seen = past[static_cast<size_t>(b)];
    for (const int32_t position : seen) keys.add(position);
    const int64_t shift = offset_ && !seen.empty() ? int64_t{seen.back()} + 1 - *offset_ : 0;
    for (const int32_t position :
         sequence_positions(sequences_.query_starts, sequences_.query_positions, b)) {
      queries.add(position + shift);
      keys.add(position + shift);
    }
    queries.close_sequence();
    keys.close_sequence();
  }
  Placement placement = *this;
  placement.sequences_ = join(Indices::of(queries.starts), Indices::of(queries.positions),
                              Indices::of(keys.starts), Indices::of(keys.positions));
  return placement;
}

Placement Placement::cross_attention(const Placement& text) const {
  check_sequences("cross_attention", count(), text.count());
  Placement placement = *this;
  placement.sequences_ = join(sequences_.query_starts, sequences_.query_positions, text.sequences_.key_starts,
                              text.sequences_.key_positions);
  return placement;
}

int64_t Placement::length(int64_t sequence) const {
  require(sequence >= 0 && sequence < count(), "Placement: sequence is {}, expected 0 to {}", sequence,
          count() - 1);
  const auto starts = sequences_.query_starts.values();
  return starts[static_cast<size_t>(sequence) + 1] - starts[static_cast<size_t>(sequence)];
}

int64_t Placement::last_position() const {
  int64_t last = -1;
  for (int64_t b = 0; b < count(); ++b) last = std::max(last, last_position(b));
  return last;
}

int64_t Placement::last_position(int64_t sequence) const {
  require(sequence >= 0 && sequence < count(), "Placement: sequence is {}, expected 0 to {}", sequence,
          count() - 1);
  int64_t last = -1;
  for (const auto positions :
       {sequence_positions(sequences_.query_starts, sequences_.query_positions, sequence),
        sequence_positions(sequences_.key_starts, sequences_.key_positions, sequence)}) {
    for (const int32_t position : positions) last = std::max<int64_t>(last, position);
  }
  return last;
}

int64_t Placement::first_position(int64_t sequence) const {
  int64_t first = kMost + 1;
  for (const auto positions :
       {sequence_positions(sequences_.query_starts, sequences_.query_positions, sequence),
        sequence_positions(sequences_.key_starts, sequences_.key_positions, sequence)}) {
    for (const int32_t position : positions) first = std::min<int64_t>(first, position);
  }
  return first > kMost ? -1 : first;
}

std::pair<int64_t, int64_t> Placement::distances() const {
  std::optional<std::pair<int64_t, int64_t>> range;
  for (int64_t b = 0; b < count(); ++b) {
    const auto queries = sequence_positions(sequences_.query_starts, sequences_.query_positions, b);
    const auto keys = sequence_positions(sequences_.key_starts, sequences_.key_positions, b);
    if (queries.empty() || keys.empty()) continue;
    const auto [first_query, last_query] = std::ranges::minmax(queries);
    const auto [first_key, last_key] = std::ranges::minmax(keys);
    const int64_t least = int64_t{first_key} - last_query, most = int64_t{last_key} - first_query;
    range = range ? std::pair(std::min(range->first, least), std::max(range->second, most))
                  : std::pair(least, most);
  }
  return range.value_or(std::pair<int64_t, int64_t>(0, 0));
}

}  // namespace locus
