// Activations in bf16, for kernels that compute with f32: such views are widened into f32 memory before the
// kernel runs, and what it may have written is rounded back to nearest even. So arithmetic and sums are f32,
// and a result is rounded once. A call without bf16 activations costs one check of its views.
//
// `Own` is what a device has of its own: where the memory is, how numbers are converted, and which views its
// kernels read and write as bf16 themselves.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "locus/kernel/views.h"
#include "locus/tensor/tensor.h"

namespace locus::kernel {

template <class Own, class Args>
bool needs_widening(const Args& args) {
  bool found = false;
  const auto look = [&](const auto& view) {
    if (view.dtype == DType::bf16 && view && !Own::takes_bf16(args, &view)) found = true;
  };
  views_of(const_cast<Args&>(args))(look);
  return found;
}

template <class Own, class Args, void (*kernel)(const Args&)>
void call_widened(const Args& args) {
  OwnArgs<Args> own(args);
  std::vector<Tensor> memory;
  std::vector<std::pair<ConstView, View>> results;
  std::vector<const void*> taken;  // before any view changes, because one may decide about another
  const auto note = [&](auto& view) {
    if (Own::takes_bf16(own.args, &view)) taken.push_back(&view);
  };
  views_of(own.args)(note);
  const auto widen = [&](auto& view) {
    if (view.dtype != DType::bf16 || !view || std::ranges::count(taken, static_cast<const void*>(&view)) > 0)
      return;
    memory.push_back(Tensor::empty({view.rows, view.cols}, DType::f32, Own::kDevice));
    const View wide = memory.back().view();
    Own::convert({.from = view, .to = wide});
    if constexpr (std::is_convertible_v<decltype(view), View>) results.emplace_back(wide, view);
    view = wide;
  };
  views_of(own.args)(widen);
  kernel(own.args);
  for (const auto& [wide, view] : results) Own::convert({.from = wide, .to = view});
}

// A kernel of the table with this in front of it. One that only computes a size stays as it is.
template <class Own, class Function, Function kernel>
struct Widened {
  static constexpr Function call = kernel;
};
template <class Own, class Args, void (*kernel)(const Args&)>
struct Widened<Own, void (*)(const Args&), kernel> {
  static void call(const Args& args) {
    needs_widening<Own>(args) ? call_widened<Own, Args, kernel>(args) : kernel(args);
  }
};

}  // namespace locus::kernel
