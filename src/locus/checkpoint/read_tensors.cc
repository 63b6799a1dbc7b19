// Reads weights from files into the memory of a model, in parallel and in pieces.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "locus/base/parallel.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/checkpoint/tensor_reader.h"

namespace locus {
namespace {

// Large enough that two threads rarely touch the same huge page of fresh memory: 2 MiB takes 52 ms, 256 KiB
// takes 62 ms.
constexpr uint64_t kPieceBytes = 1 << 21;

// Rows of a tensor that one thread reads in one call.
struct TensorPiece {
  size_t reader;
  int64_t begin, end;
};

}  // namespace

std::vector<std::string> read_tensors(const WeightFiles& files, const std::vector<Binding>& bindings,
                                      const LoadProgress& progress) {
  std::vector<TensorReader> readers;
  std::vector<TensorPiece> pieces;
  uint64_t all = 0;
  for (const Binding& binding : bindings) {
    if (binding.random_init || binding.lazy) continue;
    const TensorReader& reader = readers.emplace_back(files, binding);
    all += static_cast<uint64_t>(reader.rows()) * reader.row_bytes();
    const auto step =
        static_cast<int64_t>(std::max<uint64_t>(kPieceBytes / std::max<uint64_t>(reader.row_bytes(), 1), 1));
    for (int64_t row = 0; row < reader.rows(); row += step) {
      pieces.push_back({readers.size() - 1, row, std::min(row + step, reader.rows())});
    }
  }
  std::vector<std::atomic<bool>> not_finite(readers.size());
  std::vector<Scratch> scratch(static_cast<size_t>(threads()));
  std::mutex mutex;
  uint64_t done = 0;
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const TensorPiece& piece = pieces[static_cast<size_t>(i)];
      Scratch& own = scratch[static_cast<size_t>(thread_index())];
      const TensorReader& reader = readers[piece.reader];
      if (!reader.read(piece.begin, piece.end, own)) not_finite[piece.reader] = true;
      if (!progress) continue;
      const std::lock_guard lock(mutex);
      done += static_cast<uint64_t>(piece.end - piece.begin) * reader.row_bytes();
      progress(done, all);
    }
  });
  for (TensorReader& reader : readers) reader.finish();
  // If a file was modified during the read, the weights could be a mixture of two models.
  for (const SafetensorsFile& file : files.files()) file.require_unchanged();
  std::vector<std::string> warnings;
  for (size_t i = 0; i < readers.size(); ++i) {
    if (!not_finite[i]) continue;
    warnings.push_back(fmt::format("'{}': tensor {} contains NaN or infinity",
                                   readers[i].file().path().string(), quote(readers[i].name())));
  }
  return warnings;
}

}  // namespace locus
