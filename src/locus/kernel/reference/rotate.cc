#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void rotate(const RotateArgs& args) {
  const int64_t half = args.width / 2;
  for (int64_t n = 0; n < args.x.rows; ++n) {
    const int32_t row = args.rows.as<int32_t>()[n];
    for (int64_t h = 0; h < args.heads; ++h) {
      const int64_t start = h * args.head_size;
      for (int64_t pair = 0; pair < half; ++pair) {
        const int64_t first = start + (args.interleaved ? 2 * pair : pair);
        const int64_t second = args.interleaved ? first + 1 : first + half;
        const double a = at(args.x, n, first), b = at(args.x, n, second);
        const double cos = at(args.cos, row, pair);
        const double sin = args.backward ? -at(args.sin, row, pair) : at(args.sin, row, pair);
        put(args.y, n, first, a * cos - b * sin);
        put(args.y, n, second, a * sin + b * cos);
      }
      for (int64_t c = start + args.width; c < start + args.head_size; ++c) {
        put(args.y, n, c, at(args.x, n, c));
      }
    }
  }
}

}  // namespace locus::kernel::reference
