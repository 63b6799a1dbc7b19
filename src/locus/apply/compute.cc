#include "locus/apply/compute.h"

#include <numeric>

#include "locus/apply/reading.h"

namespace locus {

TextRows rows_of_texts(const Tensor& rows) {
  std::vector<int32_t> starts(static_cast<size_t>(rows.size(0)) + 1);
  std::iota(starts.begin(), starts.end(), 0);
  return {rows.on_host(), std::move(starts)};
}

TextRows rows_of_tokens(const Tensor& rows, const Tokens& tokens) {
  const auto starts = tokens.placement.sequences().query_starts.values();
  return {rows.on_host(), {starts.begin(), starts.end()}};
}

Tokens packed(const Blueprint& blueprint, std::span<const Encoding* const> encodings) {
  std::vector<int32_t> ids, segments;
  std::vector<int64_t> lengths;
  for (const Encoding* encoding : encodings) {
    ids.insert(ids.end(), encoding->ids.begin(), encoding->ids.end());
    segments.insert(segments.end(), encoding->segments.begin(), encoding->segments.end());
    lengths.push_back(static_cast<int64_t>(encoding->size()));
  }
  Tokens tokens = {Indices::of(ids), Placement::of_lengths(lengths, blueprint.policy()), {}};
  // A model with one segment has both texts of a pair in it.
  if (blueprint.embedding.segments > 1) tokens.segments = Indices::of(segments);
  return tokens;
}

std::optional<Error> take_text(const TextRows& rows, size_t place, size_t text, const TakeRows& take) {
  const auto width = static_cast<size_t>(rows.rows.size(1));
  const auto first = static_cast<size_t>(rows.starts[place]),
             last = static_cast<size_t>(rows.starts[place + 1]);
  try {
    const auto own = rows.rows.data<float>().subspan(first * width, (last - first) * width);
    require_finite(own);
    take(text, own);
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    return error;
  }
  return {};
}

}  // namespace locus
