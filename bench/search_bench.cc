#include <algorithm>
#include <fstream>
#include <memory>

#include "bench/operands.h"
#include "locus/apply/vector_index.h"
#include "locus/checkpoint/npy.h"
#include "tests/temporary_folder.h"

namespace locus::bench {
namespace {

constexpr int64_t kWidth = 384;  // as of MiniLM

// A file of vectors without texts.
void write_vectors(const std::filesystem::path& path, int64_t rows) {
  constexpr int64_t kBlock = 10'000;
  std::ofstream file(path, std::ios::binary);
  file << npy_header(rows, kWidth);
  for (int64_t row = 0; row < rows; row += kBlock) {
    const Tensor block = filled({std::min(kBlock, rows - row), kWidth}, static_cast<uint64_t>(row + 1));
    const auto bytes = std::as_bytes(block.data<float>());
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  require(file.flush().good(), "cannot write '{}'", path.string());
}

struct Index {
  TemporaryFolder folder;
  std::unique_ptr<VectorIndex> vectors;

  explicit Index(int64_t rows) {
    write_vectors(folder / "vectors.npy", rows);
    vectors = std::make_unique<VectorIndex>(folder / "vectors.npy");
  }
};

// The least work is to read every vector once, whatever the number of queries.
void add_searches(int64_t rows) {
  // Written once for all cases and repetitions; afterwards it is in the page cache.
  auto index = std::make_shared<std::unique_ptr<Index>>();
  const int64_t bytes = rows * kWidth * int64_t{sizeof(float)};
  for (const int64_t queries : {1, 16}) {
    add({.kernel = queries == 1 ? "search" : fmt::format("search of {} queries", queries),
         .shape = text(rows, kWidth),
         .work = static_cast<double>(bytes),
         .footprint = bytes,
         .limit = Limit::read,
         .prepare = [=] {
           if (!*index) *index = std::make_unique<Index>(rows);
           return [index, asked = filled({queries, kWidth}, 7)] { (*index)->vectors->search(asked, 10); };
         }});
  }
}

}  // namespace

void add_search_cases() {
  add_searches(10'000);
  add_searches(1'000'000);
}

}  // namespace locus::bench
