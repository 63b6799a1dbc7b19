// Weights from files into a model's memory, in parallel, piece by piece: what is stored in the model's own
// format and order goes there directly, anything else through a small piece of scratch memory.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>

#include "locus/base/parallel.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/model_folder.h"

namespace locus {
namespace {

// Large enough that two threads seldom meet in one huge page of fresh memory: 2 MiB took 52 ms where 256 KiB
// took 62.
constexpr uint64_t kPieceBytes = 1 << 21;

// Rows of a tensor that one thread reads at once.
struct Piece {
  size_t source;
  int64_t begin, end;
};

struct Source {
  const SafetensorsFile* file;
  const TensorEntry* entry;
  int64_t rows, columns;

  uint64_t row_bytes() const { return static_cast<uint64_t>(columns * size_of(*entry->type->dtype)); }
};

// Zero times anything is zero, but NaN times infinity or NaN. Several sums, so that they fit into vectors.
bool all_finite(std::span<const float> values) {
  constexpr size_t kSums = 16;
  float sums[kSums] = {};
  const size_t whole = values.size() / kSums * kSums;
  for (size_t i = 0; i < whole; i += kSums) {
    for (size_t k = 0; k < kSums; ++k) sums[k] += values[i + k] * 0.0f;
  }
  for (size_t i = whole; i < values.size(); ++i) sums[0] += values[i] * 0.0f;
  return std::ranges::all_of(sums, [](float sum) { return sum == 0; });
}

bool all_finite(std::span<const uint16_t> bf16) {
  constexpr unsigned kExponent = 0x7f80;
  return std::ranges::none_of(bf16, [](unsigned bits) { return (bits & kExponent) == kExponent; });
}

float to_float(float value) { return value; }
float to_float(double value) { return static_cast<float>(value); }
float to_float(Bf16 value) { return to_f32(value); }
float to_float(F16 value) { return to_f32(value); }

// What a model holds: f32, or the bits of bf16.
template <class Number, class T>
Number to_number(T value) {
  if constexpr (std::is_same_v<Number, float>) {
    return to_float(value);
  } else {
    return to_bf16(to_float(value)).bits;
  }
}

// What a thread reads through, where bytes cannot go straight to their place. Kept from piece to piece: fresh
// memory would cost more than the reading.
class Scratch {
 public:
  std::span<std::byte> stored(size_t bytes) { return grown(stored_, stored_size_, bytes); }
  template <class Number>
  std::span<Number> values(size_t count) {
    const std::span<std::byte> bytes = grown(values_, values_size_, count * sizeof(Number));
    return {reinterpret_cast<Number*>(bytes.data()), count};
  }

 private:
  static std::span<std::byte> grown(std::unique_ptr<std::byte[]>& memory, size_t& size, size_t wanted) {
    if (size < wanted) {
      memory = std::make_unique_for_overwrite<std::byte[]>(wanted);
      size = wanted;
    }
    return {memory.get(), wanted};
  }

  std::unique_ptr<std::byte[]> stored_, values_;
  size_t stored_size_ = 0, values_size_ = 0;
};

class TensorReader {
 public:
  TensorReader(const Binding& binding, const Source& source)
      : binding_(binding), source_(source), dtype_(binding.parameters[0].value().dtype()) {
    for (const Var& parameter : binding.parameters) {
      std::byte* row = parameter.value().view().data;
      const int64_t count = parameter.value().size(0);
      for (int64_t r = 0; r < count; ++r) rows_.push_back(row + r * binding.columns() * size_of(dtype_));
    }
  }

  // Whether all numbers read were finite.
  bool read(int64_t begin, int64_t end, Scratch& scratch) const {
    return dtype_ == DType::bf16 ? read_as<uint16_t>(begin, end, scratch)
                                 : read_as<float>(begin, end, scratch);
  }

 private:
  template <class Number>
  bool read_as(int64_t begin, int64_t end, Scratch& scratch) const {
    const uint64_t offset = static_cast<uint64_t>(begin) * source_.row_bytes();
    const auto numbers = static_cast<size_t>((end - begin) * source_.columns);
    if (binding_.as_it_is() && source_.entry->type->dtype == dtype_) {
      const std::span<Number> to(reinterpret_cast<Number*>(rows_[0]) + begin * source_.columns, numbers);
      source_.file->read_part(*source_.entry, offset, std::as_writable_bytes(to));
      return all_finite(to);
    }
    const std::span<std::byte> stored =
        scratch.stored(static_cast<size_t>(end - begin) * source_.row_bytes());
    source_.file->read_part(*source_.entry, offset, stored);
    const std::span<const Number> values =
        visit_float(*source_.entry->type->dtype, [&]<class T>(T) -> std::span<const Number> {
          const std::span<const T> from(reinterpret_cast<const T*>(stored.data()), numbers);
          if constexpr (std::is_same_v<T, Number>) {
            return from;
          } else {
            const std::span<Number> to = scratch.values<Number>(numbers);
            std::ranges::transform(from, to.begin(), [](T value) { return to_number<Number>(value); });
            return to;
          }
        });
    place(begin, end, values.data());
    return all_finite(values);
  }

  template <class Number>
  Number* row(int64_t r) const {
    return reinterpret_cast<Number*>(rows_[static_cast<size_t>(r)]);
  }

  template <class Number>
  void place(int64_t begin, int64_t end, const Number* values) const {
    const int64_t width = source_.columns;
    if (binding_.layout.transposed && binding_.parameters[0].shape().rank() == 2) {
      place_transposed(begin, end, values);
      return;
    }
    for (int64_t r = begin; r < end; ++r, values += width) {
      std::copy_n(values, width, row<Number>(binding_.layout.one_row ? 0 : binding_.row(r)));
    }
  }

  // By tiles of a cache line squared, two side by side: a line that is read or written is used up at once.
  template <class Number>
  void place_transposed(int64_t begin, int64_t end, const Number* values) const {
    constexpr int64_t kLine = 16;
    const int64_t width = source_.columns;
    for (int64_t column = 0; column < width; column += 2 * kLine) {
      const int64_t last_column = std::min(column + 2 * kLine, width);
      for (int64_t row = begin; row < end; row += kLine) {
        const int64_t last_row = std::min(row + kLine, end);
        for (int64_t c = column; c < last_column; c += 4) {
          for (int64_t r = row; r < last_row; r += 4) {
            place_square(values + (r - begin) * width + c, r, std::min<int64_t>(last_row - r, 4), c,
                         std::min<int64_t>(last_column - c, 4));
          }
        }
      }
    }
  }

  // Four rows of four at `from` to where they stand as columns: in registers, which takes half the time that
  // it takes number by number. Fewer at the ends.
  template <class Number>
  void place_square(const Number* from, int64_t first, int64_t rows, int64_t column, int64_t columns) const {
    const int64_t width = source_.columns;
    if (rows < 4 || columns < 4) {
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) row<Number>(column + c)[first + r] = from[r * width + c];
      }
      return;
    }
    using Four [[gnu::vector_size(4 * sizeof(Number))]] = Number;
    Four in[4];
    for (int64_t r = 0; r < 4; ++r) std::memcpy(&in[r], from + r * width, sizeof(Four));
    const Four even_low = __builtin_shufflevector(in[0], in[2], 0, 4, 1, 5);
    const Four even_high = __builtin_shufflevector(in[0], in[2], 2, 6, 3, 7);
    const Four odd_low = __builtin_shufflevector(in[1], in[3], 0, 4, 1, 5);
    const Four odd_high = __builtin_shufflevector(in[1], in[3], 2, 6, 3, 7);
    const Four out[4] = {__builtin_shufflevector(even_low, odd_low, 0, 4, 1, 5),
                         __builtin_shufflevector(even_low, odd_low, 2, 6, 3, 7),
                         __builtin_shufflevector(even_high, odd_high, 0, 4, 1, 5),
                         __builtin_shufflevector(even_high, odd_high, 2, 6, 3, 7)};
    for (int64_t c = 0; c < 4; ++c) std::memcpy(row<Number>(column + c) + first, &out[c], sizeof(Four));
  }

  const Binding& binding_;
  const Source source_;
  const DType dtype_;
  std::vector<std::byte*> rows_;  // of the parameters
};

Source source_of(const WeightFiles& files, const Binding& binding) {
  const SafetensorsFile* file = files.find(binding.tensor);
  const Shape shape = binding.shape();
  const int64_t rows = shape[0];
  return {file, &file->entry(binding.tensor), rows, rows == 0 ? 0 : shape.numel() / rows};
}

}  // namespace

std::vector<std::string> read_tensors(const WeightFiles& files, const std::vector<Binding>& bindings,
                                      const LoadProgress& progress) {
  std::vector<TensorReader> readers;
  std::vector<Source> sources;
  std::vector<Piece> pieces;
  uint64_t all = 0;
  for (const Binding& binding : bindings) {
    if (binding.drawn) continue;
    const Source source = source_of(files, binding);
    readers.emplace_back(binding, source);
    sources.push_back(source);
    all += source.entry->end - source.entry->begin;
    const auto step =
        static_cast<int64_t>(std::max<uint64_t>(kPieceBytes / std::max<uint64_t>(source.row_bytes(), 1), 1));
    for (int64_t row = 0; row < source.rows; row += step) {
      pieces.push_back({sources.size() - 1, row, std::min(row + step, source.rows)});
    }
  }
  std::vector<std::atomic<bool>> broken(readers.size());
  std::vector<Scratch> scratch(static_cast<size_t>(threads()));
  std::mutex mutex;
  uint64_t done = 0;
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      Scratch& own = scratch[static_cast<size_t>(thread_index())];
      if (!readers[piece.source].read(piece.begin, piece.end, own)) broken[piece.source] = true;
      if (!progress) continue;
      const std::lock_guard lock(mutex);
      done += static_cast<uint64_t>(piece.end - piece.begin) * sources[piece.source].row_bytes();
      progress(done, all);
    }
  });
  std::vector<std::string> warnings;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!broken[i]) continue;
    warnings.push_back(fmt::format("'{}': tensor {} holds numbers that are not finite",
                                   sources[i].file->path().string(), quote(sources[i].entry->name)));
  }
  return warnings;
}

}  // namespace locus
