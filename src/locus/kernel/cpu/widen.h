// Activations in bf16, for kernels that compute with f32: such views are widened into f32 memory before the
// kernel runs, and what it may have written is rounded back to nearest even. So arithmetic and sums are f32,
// and a result is rounded once. A call without bf16 activations costs one check of its views.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/views.h"
#include "locus/tensor/tensor.h"

namespace locus::kernel::cpu {

// Whether the kernel itself reads or writes this view of its arguments as bf16: weights and token tables.
template <class Args>
bool takes_bf16(const Args&, const void*) {
  return false;
}
inline bool takes_bf16(const ConvertArgs&, const void*) { return true; }
inline bool takes_bf16(const PackArgs& a, const void*) { return a.packed.dtype == DType::bf16; }
inline bool takes_bf16(const MatmulArgs& a, const void* view) { return view == &a.packed; }
inline bool takes_bf16(const MatmulSmallMArgs& a, const void* view) { return view == &a.b; }
inline bool takes_bf16(const EmbedArgs& a, const void* view) { return view == &a.tokens.table; }

template <class Args>
bool needs_widening(const Args& args) {
  bool found = false;
  const auto look = [&](const auto& view) {
    if (view.dtype == DType::bf16 && view && !takes_bf16(args, &view)) found = true;
  };
  views_of(const_cast<Args&>(args))(look);
  return found;
}

template <class Args, void (*kernel)(const Args&)>
void call_widened(const Args& args) {
  OwnArgs<Args> own(args);
  std::vector<Tensor> memory;
  std::vector<std::pair<ConstView, View>> results;
  const auto widen = [&](auto& view) {
    if (view.dtype != DType::bf16 || !view || takes_bf16(own.args, &view)) return;
    memory.push_back(Tensor::empty({view.rows, view.cols}));
    const View wide = memory.back().view();
    convert({.from = view, .to = wide});
    if constexpr (std::is_convertible_v<decltype(view), View>) results.emplace_back(wide, view);
    view = wide;
  };
  views_of(own.args)(widen);
  kernel(own.args);
  for (const auto& [wide, view] : results) convert({.from = wide, .to = view});
}

// A kernel of the table with this in front of it. One that only computes a size stays as it is.
template <class Function, Function kernel>
struct Widened {
  static constexpr Function call = kernel;
};
template <class Args, void (*kernel)(const Args&)>
struct Widened<void (*)(const Args&), kernel> {
  static void call(const Args& args) {
    needs_widening(args) ? call_widened<Args, kernel>(args) : kernel(args);
  }
};

}  // namespace locus::kernel::cpu
