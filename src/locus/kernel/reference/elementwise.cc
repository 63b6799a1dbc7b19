#include "locus/base/random.h"
#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void add(const AddArgs& args) {
  each(args.a, [&](int64_t r, int64_t c) { put(args.out, r, c, at(args.a, r, c) + at(args.b, r, c)); });
}

void scale(const ScaleArgs& args) {
  each(args.x, [&](int64_t r, int64_t c) {
    put(args.out, r, c, static_cast<double>(args.factor) * at(args.x, r, c));
  });
}

void multiply(const MultiplyArgs& args) {
  each(args.a, [&](int64_t r, int64_t c) { put(args.out, r, c, at(args.a, r, c) * at(args.b, r, c)); });
}

void bias(const BiasArgs& args) {
  each(args.x, [&](int64_t r, int64_t c) { put(args.out, r, c, at(args.x, r, c) + at(args.bias, c)); });
}

void column_sum(const ColumnSumArgs& args) {
  for (int64_t c = 0; c < args.x.cols; ++c) {
    double sum = 0;
    for (int64_t r = 0; r < args.x.rows; ++r) sum += at(args.x, r, c);
    put(args.out, c, sum);
  }
}

void dropout(const DropoutArgs& args) {
  const Random random(args.seed, args.stream);
  const uint32_t threshold = dropout_threshold(args.rate);
  each(args.x, [&](int64_t r, int64_t c) {
    const bool keep = random.half(static_cast<uint64_t>(r * args.x.cols + c)) >= threshold;
    put(args.y, r, c, keep ? at(args.x, r, c) / (1 - static_cast<double>(args.rate)) : 0);
  });
}

void convert(const ConvertArgs& args) {
  visit_float(args.from.dtype, [&]<class From>(From) {
    visit_float(args.to.dtype, [&]<class To>(To) {
      each(args.from, [&](int64_t r, int64_t c) {
        const From from = args.from.row<From>(r)[c];
        To& to = args.to.row<To>(r)[c];
        if constexpr (std::is_same_v<From, To>) {
          to = from;
        } else if constexpr (sizeof(To) == 2) {
          float wide = 0;
          if constexpr (sizeof(From) == 2) {
            wide = to_f32(from);
          } else {
            wide = static_cast<float>(from);
          }
          if constexpr (std::is_same_v<To, Bf16>) {
            to = to_bf16(wide);
          } else {
            to = to_f16(wide);
          }
        } else if constexpr (sizeof(From) == 2) {
          to = static_cast<To>(to_f32(from));
        } else {
          to = static_cast<To>(from);
        }
      });
    });
  });
}

}  // namespace locus::kernel::reference
