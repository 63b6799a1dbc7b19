#include <cmath>

#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

void binary(const char* name, ConstView a, ConstView b, View result) {
  BinaryParams params = {numbers(a), numbers(b), numbers(result)};
  flatten(params.a, params.b, params.out);
  launch_eights(name, params.a.rows, params.a.cols, params);
}

int format_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return kF32;
    case DType::bf16:
      return kBf16;
    case DType::f16:
      return kF16;
    case DType::f64:
      return kF64;
    default:
      fail(Fault::bug, "dtype is {}, expected a floating-point dtype", name_of(dtype));
  }
}

}  // namespace

void add(const AddArgs& args) { binary("elementwise/add", args.a, args.b, args.out); }
void multiply(const MultiplyArgs& args) { binary("elementwise/multiply", args.a, args.b, args.out); }

void scale(const ScaleArgs& args) {
  ScaleParams params = {numbers(args.x), numbers(args.out), args.factor};
  flatten(params.x, params.out);
  launch_eights("elementwise/scale", params.x.rows, params.x.cols, params);
}

void bias(const BiasArgs& args) {
  launch_eights("elementwise/bias", args.x.rows, args.x.cols,
                BiasParams{numbers(args.x), vector(args.bias), numbers(args.out)});
}

void dropout(const DropoutArgs& args) {
  DropoutParams params = {numbers(args.x), numbers(args.y), dropout_of(args.rate, args.seed, args.stream)};
  flatten(params.x, params.y);
  launch_eights("elementwise/dropout", params.x.rows, params.x.cols, params);
}

void convert(const ConvertArgs& args) {
  const auto& [from, to] = args;
  ConvertParams params = {{reinterpret_cast<const char*>(from.data), from.rows, from.cols, from.stride},
                          {reinterpret_cast<char*>(to.data), to.rows, to.cols, to.stride},
                          format_of(from.dtype),
                          format_of(to.dtype)};
  flatten(params.from, params.to);
  const auto aligned = [](const auto& one) {
    return reinterpret_cast<uintptr_t>(one.data) % 16 == 0 && (one.rows <= 1 || one.stride % 8 == 0);
  };
  params.wide = aligned(params.from) && aligned(params.to);
  launch_eights("convert/convert", params.from.rows, params.from.cols, params);
}

void adamw(const AdamWArgs& args) {
  const double beta1 = static_cast<double>(args.beta1), beta2 = static_cast<double>(args.beta2);
  for (const AdamWParameter& one : args.list) {
    const double step = static_cast<double>(one.step);
    AdamWParams params = {
        .parameter = out(one.parameter),
        .gradient = in(one.gradient),
        .first = out(one.first),
        .second = out(one.second),
        .rate = args.rate,
        .beta1 = args.beta1,
        .beta2 = args.beta2,
        .rest1 = static_cast<float>(1 - beta1),
        .rest2 = static_cast<float>(1 - beta2),
        .eps = args.eps,
        .keep = static_cast<float>(1 - static_cast<double>(args.rate) * static_cast<double>(one.decay)),
        .scale = args.scale,
        .correction1 = static_cast<float>(1 / (1 - std::pow(beta1, step))),
        .correction2 = static_cast<float>(1 / (1 - std::pow(beta2, step)))};
    flatten(params.parameter, params.gradient, params.first, params.second);
    launch_elements("elementwise/adamw", one.gradient.numel(), params);
  }
}

}  // namespace locus::kernel::cuda
