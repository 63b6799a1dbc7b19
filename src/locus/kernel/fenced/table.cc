#include <memory>

#include "locus/kernel/cpu/widen.h"
#include "locus/kernel/fenced/fenced.h"
#include "locus/kernel/views.h"
#include "locus/tensor/fenced/fenced.h"
#include "locus/tensor/tensor.h"

namespace locus::kernel::fenced {
namespace {

using cpu::widened;

template <class Args>
std::shared_ptr<const OwnArgs<Args>> unfenced(const Args& args) {
  const auto own = std::make_shared<OwnArgs<Args>>(args);
  const auto lift = [](auto& view) { view = locus::fenced::unfenced(view); };
  views_of(own->args)(lift);
  return own;
}

// A kernel of the cpu, by the kind of its function. One that needs only sizes is called as it is.
template <class Function, Function kernel>
struct Later {
  static constexpr Function call = kernel;
};
template <class Args, void (*kernel)(const Args&)>
struct Later<void (*)(const Args&), kernel> {
  static void call(const Args& args) {
    locus::fenced::hand_over([own = unfenced(args)] { widened<kernel>(own->args); });
  }
};

// The workspace of attention depends on what only the kernel may read, so that the kernel makes it.
template <class Args, int64_t (*workspace)(const Args&), void (*kernel)(const Args&)>
void with_workspace(const Args& args) {
  locus::fenced::hand_over([own = unfenced(args)] {
    Args whole = own->args;
    const Tensor numbers = Tensor::empty({1, workspace(whole)});
    whole.workspace = numbers.view();
    kernel(whole);
  });
}
template <int64_t (*kernel)(const AttentionArgs&)>
struct Later<int64_t (*)(const AttentionArgs&), kernel> {
  static int64_t call(const AttentionArgs&) { return 1; }
};
template <int64_t (*kernel)(const AttentionBackwardArgs&)>
struct Later<int64_t (*)(const AttentionBackwardArgs&), kernel> {
  static int64_t call(const AttentionBackwardArgs&) { return 1; }
};
template <>
struct Later<void (*)(const AttentionArgs&), &cpu::attention> {
  static constexpr auto call =
      with_workspace<AttentionArgs, cpu::attention_workspace, widened<&cpu::attention>>;
};
template <>
struct Later<void (*)(const AttentionBackwardArgs&), &cpu::attention_backward> {
  static constexpr auto call = with_workspace<AttentionBackwardArgs, cpu::attention_backward_workspace,
                                              widened<&cpu::attention_backward>>;
};

}  // namespace

const Kernels& table() {
#define LOCUS_LATER(result, name, parameters) .name = Later<decltype(&cpu::name), &cpu::name>::call,
  static constexpr Kernels the_table = {LOCUS_KERNELS(LOCUS_LATER)};
#undef LOCUS_LATER
  return the_table;
}

}  // namespace locus::kernel::fenced
