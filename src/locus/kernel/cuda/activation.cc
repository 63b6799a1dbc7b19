#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

static_assert(static_cast<int>(Activation::none) == kNone && static_cast<int>(Activation::gelu) == kGelu &&
              static_cast<int>(Activation::gelu_tanh) == kGeluTanh &&
              static_cast<int>(Activation::silu) == kSilu && static_cast<int>(Activation::relu) == kRelu &&
              static_cast<int>(Activation::tanh) == kTanh);

}  // namespace

void activation(const ActivationArgs& args) {
  ActivationParams params = {static_cast<int>(args.activation), numbers(args.x), {}, numbers(args.y)};
  flatten(params.x, params.y);
  launch_eights("elementwise/activation", params.x.rows, params.x.cols, params);
}

void activation_backward(const ActivationBackwardArgs& args) {
  ActivationParams params = {static_cast<int>(args.activation), numbers(args.x), numbers(args.dy),
                             numbers(args.dx)};
  flatten(params.x, params.dy, params.y);
  launch_eights("elementwise/activation_backward", params.x.rows, params.x.cols, params);
}

void gated(const GatedArgs& args) {
  GatedParams params = {.activation = static_cast<int>(args.activation),
                        .gate = numbers(args.gate),
                        .up = numbers(args.up),
                        .y = numbers(args.y)};
  flatten(params.gate, params.up, params.y);
  launch_eights("elementwise/gated", params.gate.rows, params.gate.cols, params);
}

void gated_backward(const GatedBackwardArgs& args) {
  GatedParams params = {.activation = static_cast<int>(args.activation),
                        .gate = numbers(args.gate),
                        .up = numbers(args.up),
                        .dy = numbers(args.dy),
                        .dgate = numbers(args.dgate),
                        .dup = numbers(args.dup)};
  flatten(params.gate, params.up, params.dy, params.dgate, params.dup);
  launch_eights("elementwise/gated_backward", params.gate.rows, params.gate.cols, params);
}

}  // namespace locus::kernel::cuda
