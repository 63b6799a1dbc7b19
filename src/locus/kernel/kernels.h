// The kernels of a device, as a table of function pointers. Kernels are pure functions on views: they
// allocate no tensors and know nothing about gradients. The caller (op/) checks the arguments; a kernel
// trusts its shapes.
#pragma once

#include "locus/kernel/activation.h"
#include "locus/kernel/attention.h"
#include "locus/kernel/elementwise.h"
#include "locus/kernel/embed.h"
#include "locus/kernel/loss.h"
#include "locus/kernel/matmul.h"
#include "locus/kernel/norm.h"
#include "locus/kernel/optimize.h"
#include "locus/kernel/rotate.h"
#include "locus/kernel/rows.h"

namespace locus {

struct Kernels {
  int64_t (*packed_size)(int64_t k, int64_t n, DType b);  // in elements
  void (*pack)(const kernel::PackArgs&);
  void (*matmul)(const kernel::MatmulArgs&);
  void (*matmul_small_m)(const kernel::MatmulSmallMArgs&);

  void (*norm)(const kernel::NormArgs&);
  void (*norm_backward)(const kernel::NormBackwardArgs&);

  void (*activation)(const kernel::ActivationArgs&);
  void (*activation_backward)(const kernel::ActivationBackwardArgs&);
  void (*gated)(const kernel::GatedArgs&);
  void (*gated_backward)(const kernel::GatedBackwardArgs&);

  void (*add)(const kernel::AddArgs&);
  void (*scale)(const kernel::ScaleArgs&);
  void (*multiply)(const kernel::MultiplyArgs&);
  void (*bias)(const kernel::BiasArgs&);
  void (*column_sum)(const kernel::ColumnSumArgs&);
  void (*dropout)(const kernel::DropoutArgs&);
  void (*convert)(const kernel::ConvertArgs&);

  void (*gather)(const kernel::GatherArgs&);
  void (*scatter_add)(const kernel::ScatterAddArgs&);

  void (*embed)(const kernel::EmbedArgs&);
  void (*embed_backward)(const kernel::EmbedBackwardArgs&);
  void (*rotate)(const kernel::RotateArgs&);

  void (*cross_entropy)(const kernel::CrossEntropyArgs&);
  void (*cross_entropy_backward)(const kernel::CrossEntropyBackwardArgs&);

  double (*sum)(ConstView);
  double (*squared_norm)(ConstView);

  // Size of the workspace that attention and attention_backward need, in elements.
  int64_t (*attention_workspace)(const kernel::AttentionArgs&);
  int64_t (*attention_backward_workspace)(const kernel::AttentionBackwardArgs&);
  void (*attention)(const kernel::AttentionArgs&);
  void (*attention_backward)(const kernel::AttentionBackwardArgs&);

  void (*adamw)(const kernel::AdamWArgs&);
};

const Kernels& kernels(Device);

}  // namespace locus
