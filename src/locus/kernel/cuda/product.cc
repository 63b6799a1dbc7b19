#include "locus/kernel/cuda/product.h"

#include <fmt/format.h>

#include <atomic>
#include <span>

#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"
#include "locus/tensor/tensor.h"

namespace locus::kernel::cuda {
namespace {

// A side in bf16 whose rows start at 16-byte addresses, as the kernels copy them: the view itself or a copy.
struct Side {
  explicit Side(ConstView view) : stride(view.stride) {
    constexpr int64_t kAligned = 16, kTogether = 8;
    const auto address = reinterpret_cast<uintptr_t>(view.data);
    if (view.dtype == DType::bf16 && address % kAligned == 0 && (stride % kTogether == 0 || view.rows <= 1)) {
      numbers = view.address<Bf16>();
      return;
    }
    stride = divided_up(view.cols, kTogether) * kTogether;
    copy = Tensor::empty({view.rows, stride}, DType::bf16, Device::cuda);
    View to = copy.view();
    to.cols = view.cols;
    convert({.from = view, .to = to});
    numbers = copy.view().address<Bf16>();
  }
  int64_t stride;
  Tensor copy;
  const Bf16* numbers;
};

struct Tile {
  const char* name;
  int64_t rows, cols;
  int threads;
  int64_t depth;  // numbers of k in a piece
};
constexpr Tile kTiles[] = {{"product/product_256", 128, 256, 256, kProductDepth},
                           {"product/product_128", 128, 128, 128, kProductDepth},
                           {"product/product_64", 64, 64, 128, kProductDepth},
                           {"product/product_16", 16, 64, 128, kProductDepth}};
constexpr Tile kHopperTiles[] = {{"product_hopper/hopper_256", 128, 256, 256, kHopperDepth},
                                 {"product_hopper/hopper_128", 128, 128, 256, kHopperDepth},
                                 {"product_hopper/hopper_64", 64, 64, 128, kHopperDepth}};

int64_t blocks(const Tile& tile, const ProductParams& p, int64_t batch) {
  return divided_up(p.m, tile.rows) * divided_up(p.n, tile.cols) * batch;
}

std::atomic<bool> only_ampere = false;

// All tiles of a GPU give the same bits. Large ones load less; small ones keep every multiprocessor busy.
const Tile& tile_for(const ProductParams& p, int64_t batch) {
  constexpr int kHopper = 9;
  const bool hopper = locus::cuda::major_capability() == kHopper && !only_ampere;
  const std::span<const Tile> tiles = hopper ? std::span<const Tile>(kHopperTiles) : kTiles;
  if (p.m <= 16) return tiles.back();
  for (const Tile& tile : tiles.first(2)) {
    if (blocks(tile, p, batch) >= locus::cuda::multiprocessors()) return tile;
  }
  return tiles[2];
}

// The number of segments of k depends on k alone, and so do the bits.
constexpr int64_t kLeastSegment = 4096, kMostSegments = 8;
constexpr int64_t segments_of(int64_t k) { return larger(1, smaller(k / kLeastSegment, kMostSegments)); }

void launch_tiles(const Tile& tile, const ProductParams& params, int64_t depth, const MatmulArgs& args) {
  const std::string name =
      fmt::format("{}_{}_{}", tile.name, args.a_transposed ? "km" : "mk", args.b_transposed ? "nk" : "kn");
  launch_as(name.c_str(),
            {.grid = {blocks(tile, params, 1), 1, depth},
             .threads = tile.threads,
             .shared_bytes = kProductPieces * (tile.rows + tile.cols) * tile.depth * int64_t{sizeof(Bf16)}},
            params);
}

}  // namespace

void use_ampere_products(bool only) { only_ampere = only; }

void product_of_bf16(const MatmulArgs& args) {
  if (args.m == 0 || args.n == 0 || args.batch == 0) return;
  const Side a(args.a), b(args.b);
  const int64_t segments = segments_of(args.k);
  ProductParams whole = {.a = a.numbers,
                         .b = b.numbers,
                         .m = args.m,
                         .n = args.n,
                         .k = args.k,
                         .a_stride = a.stride,
                         .a_batch = (args.a_transposed ? args.k : args.m) * a.stride,
                         .b_stride = b.stride,
                         .b_batch = (args.b_transposed ? args.n : args.k) * b.stride,
                         .c = numbers(args.c),
                         .bias = vector(args.bias),
                         .segment = divided_up(divided_up(args.k, segments), kProductDepth) * kProductDepth,
                         .segments = static_cast<int>(segments),
                         .accumulate = args.accumulate};
  Tensor sums;
  if (segments > 1) {
    // Few tiles: their segments run in parallel.
    whole.parallel = args.batch == 1 && blocks(kTiles[1], whole, 1) < 4 * locus::cuda::multiprocessors();
    if (!whole.parallel && !whole.c.bf16 && !args.accumulate) {
      whole.sums = whole.c;
    } else {
      const int64_t rows = (whole.parallel ? segments : args.batch) * args.m;
      sums = Tensor::empty({rows, divided_up(args.n, 8) * 8}, DType::f32, Device::cuda);
      whole.sums = numbers(sums.view());
    }
  }
  if (whole.parallel) {
    launch_tiles(tile_for(whole, segments), whole, segments, args);
    return launch_eights("product/product_sums", args.m, args.n, whole);
  }
  const Tile& tile = tile_for(whole, args.batch);
  const auto move = [](NumbersOut& rows, int64_t count) {
    if (rows) rows.data += count * rows.stride * (rows.bf16 ? 2 : 4);
  };
  for (int64_t first = 0; first < args.batch; first += kMostBlocks) {  // as many as a grid has room for
    ProductParams part = whole;
    part.a += first * whole.a_batch;
    part.b += first * whole.b_batch;
    move(part.c, first * args.m);
    move(part.sums, first * args.m);
    launch_tiles(tile, part, smaller(args.batch - first, kMostBlocks), args);
  }
}

}  // namespace locus::kernel::cuda
