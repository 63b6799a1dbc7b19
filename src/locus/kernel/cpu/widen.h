// Activations in bf16 on the CPU, whose kernels read only weights and token tables as bf16 themselves.
#pragma once

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/widen.h"

namespace locus::kernel::cpu {

struct Own {
  static constexpr Device kDevice = Device::cpu;
  static void convert(const ConvertArgs& args) { cpu::convert(args); }

  template <class Args>
  static bool takes_bf16(const Args&, const void*) {
    return false;
  }
  static bool takes_bf16(const ConvertArgs&, const void*) { return true; }
  static bool takes_bf16(const PackArgs& a, const void*) { return a.packed.dtype == DType::bf16; }
  static bool takes_bf16(const MatmulArgs& a, const void* view) { return view == &a.packed; }
  static bool takes_bf16(const MatmulSmallMArgs& a, const void* view) { return view == &a.b; }
  static bool takes_bf16(const EmbedArgs& a, const void* view) { return view == &a.tokens.table; }
};

// A kernel for every format of activations.
template <auto kernel>
inline constexpr auto widened = Widened<Own, decltype(kernel), kernel>::call;

}  // namespace locus::kernel::cpu
