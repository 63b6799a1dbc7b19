// The kernels of a device, as a table of function pointers. Kernels are pure functions on views: they
// allocate no tensors and know nothing about gradients. The caller (op/) checks the arguments; a kernel
// trusts its shapes.
#pragma once

#include "locus/kernel/activation.h"
#include "locus/kernel/attention.h"
#include "locus/kernel/distance.h"
#include "locus/kernel/elementwise.h"
#include "locus/kernel/embed.h"
#include "locus/kernel/loss.h"
#include "locus/kernel/matmul.h"
#include "locus/kernel/norm.h"
#include "locus/kernel/optimize.h"
#include "locus/kernel/reduce.h"
#include "locus/kernel/room.h"
#include "locus/kernel/rotate.h"
#include "locus/kernel/rows.h"

namespace locus {

// Every kernel: its result, its name and its parameters. packed_size(), which is 0 if the device does not
// pack, and the workspaces of attention are numbers of elements. partial_rows() is the number of parts in
// which sums over rows are added, and embed_workspace() a number of rows; both are functions of the number of
// rows alone, and so are the bits.
// clang-format off
#define LOCUS_KERNELS(X) \
  X(int64_t, packed_size, (int64_t k, int64_t n, DType b)) \
  X(void, pack, (const kernel::PackArgs&)) \
  X(void, matmul, (const kernel::MatmulArgs&)) \
  X(void, matmul_small_m, (const kernel::MatmulSmallMArgs&)) \
  X(void, norm, (const kernel::NormArgs&)) \
  X(void, norm_backward, (const kernel::NormBackwardArgs&)) \
  X(void, activation, (const kernel::ActivationArgs&)) \
  X(void, activation_backward, (const kernel::ActivationBackwardArgs&)) \
  X(void, gated, (const kernel::GatedArgs&)) \
  X(void, gated_backward, (const kernel::GatedBackwardArgs&)) \
  X(void, add, (const kernel::AddArgs&)) \
  X(void, scale, (const kernel::ScaleArgs&)) \
  X(void, multiply, (const kernel::MultiplyArgs&)) \
  X(void, bias, (const kernel::BiasArgs&)) \
  X(int64_t, partial_rows, (int64_t rows)) \
  X(void, column_sum, (const kernel::ColumnSumArgs&)) \
  X(void, dropout, (const kernel::DropoutArgs&)) \
  X(void, convert, (const kernel::ConvertArgs&)) \
  X(void, gather, (const kernel::GatherArgs&)) \
  X(void, scatter_add, (const kernel::ScatterAddArgs&)) \
  X(void, gather_columns, (const kernel::GatherColumnsArgs&)) \
  X(void, gather_columns_backward, (const kernel::GatherColumnsBackwardArgs&)) \
  X(void, embed, (const kernel::EmbedArgs&)) \
  X(int64_t, embed_workspace, (int64_t rows)) \
  X(void, embed_backward, (const kernel::EmbedBackwardArgs&)) \
  X(void, rotate, (const kernel::RotateArgs&)) \
  X(void, cross_entropy, (const kernel::CrossEntropyArgs&)) \
  X(void, cross_entropy_backward, (const kernel::CrossEntropyBackwardArgs&)) \
  X(void, sum, (const kernel::SumArgs&)) \
  X(void, squared_norm, (const kernel::SumArgs&)) \
  X(void, spread, (const kernel::SpreadArgs&)) \
  X(int64_t, attention_workspace, (const kernel::AttentionArgs&)) \
  X(int64_t, attention_backward_workspace, (const kernel::AttentionBackwardArgs&)) \
  X(void, attention, (const kernel::AttentionArgs&)) \
  X(void, attention_backward, (const kernel::AttentionBackwardArgs&)) \
  X(void, extend_room, (const kernel::ExtendRoomArgs&)) \
  X(void, distance_decay, (const kernel::DistanceDecayArgs&)) \
  X(void, distance_decay_backward, (const kernel::DistanceDecayBackwardArgs&)) \
  X(void, pair_quotient, (const kernel::PairQuotientArgs&)) \
  X(void, pair_quotient_backward, (const kernel::PairQuotientBackwardArgs&)) \
  X(void, adamw, (const kernel::AdamWArgs&))
// clang-format on

#define LOCUS_KERNEL_POINTER(result, name, parameters) result(*name) parameters;
#define LOCUS_KERNEL_FUNCTION(result, name, parameters) result name parameters;
#define LOCUS_KERNEL_ENTRY(result, name, parameters) .name = name,

struct Kernels {
  LOCUS_KERNELS(LOCUS_KERNEL_POINTER)
};

const Kernels& kernels(Device);

// Fails with Code::no_gpu if the device is a GPU, and this machine has none or Locus has no kernels for it.
void require_usable(Device);

}  // namespace locus
