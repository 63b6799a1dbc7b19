// Activations in bf16 on the GPU: which kernels read and write them as they are.
#pragma once

#include "locus/kernel/cuda/attention_mma.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/widen.h"

namespace locus::kernel::cuda {

inline bool is_bf16(const ConstView& view) { return view && view.dtype == DType::bf16; }

struct Own {
  static constexpr Device kDevice = Device::cuda;
  static void convert(const ConvertArgs& args) { cuda::convert(args); }

  template <class Args>
  static bool takes_bf16(const Args&, const void*) {
    return false;
  }
  static bool takes_bf16(const ConvertArgs&, const void*) { return true; }
  // Both sides in bf16, or the right one as the weight of a layer. An activation follows f32 sums.
  static bool takes_bf16(const MatmulArgs& a, const void* view) {
    const bool product = is_bf16(a.b) && (is_bf16(a.a) || (a.b_transposed && !a.a_transposed));
    return product && (view != &a.c || a.activation == Activation::none);
  }
  static bool takes_bf16(const MatmulSmallMArgs& a, const void* view) {
    return is_bf16(a.b) && (view != &a.c || a.activation == Activation::none);
  }
  // All views of a call or none.
  static bool takes_bf16(const AttentionArgs& a, const void*) { return cuda::takes_bf16(a); }
  static bool takes_bf16(const AttentionBackwardArgs& a, const void*) { return cuda::takes_bf16(a); }
  // Every view of these but those of parameters, which are never bf16.
  static bool takes_bf16(const NormArgs&, const void*) { return true; }
  static bool takes_bf16(const NormBackwardArgs&, const void*) { return true; }
  static bool takes_bf16(const ActivationArgs&, const void*) { return true; }
  static bool takes_bf16(const ActivationBackwardArgs&, const void*) { return true; }
  static bool takes_bf16(const GatedArgs&, const void*) { return true; }
  static bool takes_bf16(const GatedBackwardArgs&, const void*) { return true; }
  static bool takes_bf16(const AddArgs&, const void*) { return true; }
  static bool takes_bf16(const ScaleArgs&, const void*) { return true; }
  static bool takes_bf16(const MultiplyArgs&, const void*) { return true; }
  static bool takes_bf16(const BiasArgs&, const void*) { return true; }
  static bool takes_bf16(const DropoutArgs&, const void*) { return true; }
  static bool takes_bf16(const GatherArgs&, const void*) { return true; }
  static bool takes_bf16(const RotateArgs&, const void*) { return true; }
  static bool takes_bf16(const EmbedArgs&, const void*) { return true; }
  static bool takes_bf16(const EmbedBackwardArgs&, const void*) { return true; }
  static bool takes_bf16(const CrossEntropyArgs&, const void*) { return true; }
  static bool takes_bf16(const CrossEntropyBackwardArgs&, const void*) { return true; }
  static bool takes_bf16(const ColumnSumArgs& a, const void* view) { return view == &a.x; }
  static bool takes_bf16(const ScatterAddArgs& a, const void* view) { return view == &a.rows; }
  static bool takes_bf16(const SumArgs& a, const void* view) { return view == &a.x; }
  static bool takes_bf16(const SpreadArgs& a, const void* view) { return view == &a.out; }
};

// A kernel for every format of activations.
template <auto kernel>
inline constexpr auto widened = Widened<Own, decltype(kernel), kernel>::call;

}  // namespace locus::kernel::cuda
