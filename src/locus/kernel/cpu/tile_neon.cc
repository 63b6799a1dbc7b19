// Runs of the eight-row register tile on NEON. It is written in assembly only to control the order of the
// instructions. A core decodes eight instructions per cycle and starts four multiply-adds. If several loads
// are adjacent, multiply-add slots stay empty: a twelfth of them in some of the orders that g++ chose. A load
// should also come about one step before its use, because it may go to the L2 cache.
#include "locus/kernel/cpu/tile_neon.h"

#include "locus/base/checked.h"

namespace locus::kernel::cpu {

// v0 to v2: a row of b. Each is loaded as soon as the previous row no longer needs its register, which is why
// the sums are updated column by column. v3 and v4, or v5 and v6: eight elements of a, loaded one step ahead.
// Row r of the sums: v(8+r), v(16+r), v(24+r).
void run_tiles_of_eight(const TileRun<float>& run) {
  const float *a = run.a, *b = run.b, *from = run.from;
  float* c = run.c;
  int64_t count = run.count, left = 0;
  const int64_t pairs = (run.depth - 1) / 2;  // pairs of steps that are followed by another step
  const int64_t even = run.depth % 2 == 0, stride = run.stride * 4, from_stride = run.from_stride * 4;
  const int64_t skip =
      (run.a_step - 8 * (run.depth - 1)) * 4;  // bytes from a of the last step to the next panel
  // Prefetch a little in every pair of steps. If there is nothing to prefetch, use b, which is in the cache.
  const char* ahead = run.ahead.bytes > 0 ? run.ahead.at : reinterpret_cast<const char*>(b);
  const int64_t prefetches = count * pairs;
  const int64_t prefetch_step = prefetches > 0 ? divide_up(run.ahead.bytes, prefetches) : 0;
  asm volatile(R"(
    .macro add2 s0, s1, b, a, l0, l1
      fmla v\s0\().4s, v\b\().4s, v\a\().s[\l0]
      fmla v\s1\().4s, v\b\().4s, v\a\().s[\l1]
    .endm
    .macro add4 s0, s1, s2, s3, b, a
      add2 \s0, \s1, \b, \a, 0, 1
      add2 \s2, \s3, \b, \a, 2, 3
    .endm
    .macro step low, high, next_low, next_high  // one k, and the loads for the next k
      ldr q2, [%[b], #32]
      add2 8, 9, 0, \low, 0, 1
      ldr q\next_low, [%[a], #32]
      add2 10, 11, 0, \low, 2, 3
      ldr q\next_high, [%[a], #48]
      add4 12, 13, 14, 15, 0, \high
      ldr q0, [%[b], #48]
      add4 16, 17, 18, 19, 1, \low
      add %[a], %[a], #32
      add4 20, 21, 22, 23, 1, \high
      ldr q1, [%[b], #64]
      add4 24, 25, 26, 27, 2, \low
      add %[b], %[b], #48
      add4 28, 29, 30, 31, 2, \high
    .endm
    .macro last_step low, high
      ldr q2, [%[b], #32]
      add4 8, 9, 10, 11, 0, \low
      add4 12, 13, 14, 15, 0, \high
      add4 16, 17, 18, 19, 1, \low
      add4 20, 21, 22, 23, 1, \high
      add4 24, 25, 26, 27, 2, \low
      add4 28, 29, 30, 31, 2, \high
    .endm
    .macro load_row x, y, z
      ldp q\x, q\y, [%[from]]
      ldr q\z, [%[from], #32]
      add %[from], %[from], %[from_stride]
    .endm
    .macro zero_row x, y, z
      movi v\x\().2d, #0
      movi v\y\().2d, #0
      movi v\z\().2d, #0
    .endm
    .macro store_row x, y, z
      stp q\x, q\y, [%[c]]
      str q\z, [%[c], #32]
      add %[c], %[c], %[stride]
    .endm
    .macro each_row do
      \do 8, 16, 24
      \do 9, 17, 25
      \do 10, 18, 26
      \do 11, 19, 27
      \do 12, 20, 28
      \do 13, 21, 29
      \do 14, 22, 30
      \do 15, 23, 31
    .endm

    0:
      cbz %[from], 1f
      each_row load_row
      b 2f
    1:
      each_row zero_row
    2:
      ldp q3, q4, [%[a]]
      ldp q0, q1, [%[b]]
      mov %[left], %[pairs]
      cbz %[left], 4f
      .p2align 5
    3:
      prfm pldl2keep, [%[ahead]]
      step 3, 4, 5, 6
      add %[ahead], %[ahead], %[prefetch_step]
      subs %[left], %[left], #1
      step 5, 6, 3, 4
      b.ne 3b
    4:
      cbnz %[even], 5f
      last_step 3, 4
      b 6f
    5:
      step 3, 4, 5, 6
      last_step 5, 6
    6:
      each_row store_row
      add %[a], %[a], %[skip]
      mov %[b], %[begin]
      subs %[count], %[count], #1
      b.ne 0b

    .purgem add2
    .purgem add4
    .purgem step
    .purgem last_step
    .purgem load_row
    .purgem zero_row
    .purgem store_row
    .purgem each_row
  )"
               : [a] "+&r"(a), [b] "+&r"(b), [c] "+&r"(c), [from] "+&r"(from), [ahead] "+&r"(ahead),
                 [count] "+&r"(count), [left] "+&r"(left)
               : [begin] "r"(run.b), [stride] "r"(stride), [from_stride] "r"(from_stride), [pairs] "r"(pairs),
                 [even] "r"(even), [skip] "r"(skip), [prefetch_step] "r"(prefetch_step)
               : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v8", "v9", "v10", "v11", "v12",
                 "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
                 "v26", "v27", "v28", "v29", "v30", "v31");
}

}  // namespace locus::kernel::cpu
