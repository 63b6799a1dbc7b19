// A benchmark case: one kernel on one shape, the least work it needs (bytes or operations), and the hardware
// limit it is compared with. Every *_bench.cc adds its cases in one function; main.cc calls them all and
// prints one line per case.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/limits.h"

namespace locus::bench {

struct Case {
  std::string kernel;  // "norm"
  std::string shape;   // "4096x768"
  double work = 0;     // bytes, or floating-point operations if the limit is fma: the minimum the job needs
  int64_t footprint = 0;  // bytes of all operands
  Limit limit = Limit::copy;
  int64_t tokens =
      0;  // tokens of a training or generation step; the table then shows tokens/s and peak memory
  // Creates the operands and returns the job; the operands live as long as the job.
  std::function<std::function<void()>()> prepare;
};

void add(Case one);

void add_activation_cases();
void add_attention_cases();
void add_checkpoint_cases();
void add_elementwise_cases();
void add_embed_cases();
void add_generate_cases();
void add_loss_cases();
void add_matmul_cases();
void add_norm_cases();
void add_optimize_cases();
void add_reduce_cases();
void add_rotate_cases();
void add_rows_cases();
void add_search_cases();
void add_train_cases();

}  // namespace locus::bench
