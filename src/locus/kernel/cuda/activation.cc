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
  ActivationParams params = {static_cast<int>(args.activation), in(args.x), {}, out(args.y)};
  flatten(params.x, params.y);
  launch_map("elementwise/activation", args.x.numel(), params);
}

void activation_backward(const ActivationBackwardArgs& args) {
  ActivationParams params = {static_cast<int>(args.activation), in(args.x), in(args.dy), out(args.dx)};
  flatten(params.x, params.dy, params.y);
  launch_map("elementwise/activation_backward", args.x.numel(), params);
}

void gated(const GatedArgs& args) {
  GatedParams params = {.activation = static_cast<int>(args.activation),
                        .gate = in(args.gate),
                        .up = in(args.up),
                        .y = out(args.y)};
  flatten(params.gate, params.up, params.y);
  launch_map("elementwise/gated", args.gate.numel(), params);
}

void gated_backward(const GatedBackwardArgs& args) {
  GatedParams params = {.activation = static_cast<int>(args.activation),
                        .gate = in(args.gate),
                        .up = in(args.up),
                        .dy = in(args.dy),
                        .dgate = out(args.dgate),
                        .dup = out(args.dup)};
  flatten(params.gate, params.up, params.dy, params.dgate, params.dup);
  launch_elements("elementwise/gated_backward", args.gate.numel(), params);
}

}  // namespace locus::kernel::cuda
