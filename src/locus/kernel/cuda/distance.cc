// Score terms over distances and over pairs.
#include "locus/kernel/distance.h"

#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

DistanceDecayParams params_of(const DistanceDecayArgs& args) {
  return {.r1 = vector(args.r1),
          .r2 = vector(args.r2),
          .power = args.power,
          .least = args.least,
          .out = out(args.out)};
}

PairQuotientParams params_of(const PairQuotientArgs& args) {
  const SequenceViews& s = args.sequences;
  return {.c = vector(args.c),
          .multiplier = vector(args.multiplier),
          .threshold = args.threshold,
          .query_starts = integers(s.query_starts),
          .key_starts = integers(s.key_starts),
          .query_positions = integers(s.query_positions),
          .key_positions = integers(s.key_positions),
          .sequences = s.query_starts.cols - 1,
          .out = out(args.out)};
}

}  // namespace

void distance_decay(const DistanceDecayArgs& args) {
  launch_elements("distance/distance_decay", args.out.numel(), params_of(args));
}

void distance_decay_backward(const DistanceDecayBackwardArgs& args) {
  DistanceDecayParams params = params_of(args.forward);
  params.dout = in(args.dout);
  params.dr1 = vector(args.dr1);
  params.dr2 = vector(args.dr2);
  launch("distance/distance_decay_backward", {args.dout.rows, 1, 1}, params);
}

void pair_quotient(const PairQuotientArgs& args) {
  launch("distance/pair_quotient", {args.sequences.query_positions.cols, 1, 1}, params_of(args));
}

// One block, which adds up all pairs: slow for many long sequences, whose dense term is slow anyway.
void pair_quotient_backward(const PairQuotientBackwardArgs& args) {
  PairQuotientParams params = params_of(args.forward);
  params.dout = in(args.dout);
  params.dc = vector(args.dc);
  params.dmultiplier = vector(args.dmultiplier);
  launch("distance/pair_quotient_backward", {1, 1, 1}, params);
}

}  // namespace locus::kernel::cuda
