// All views of the arguments of a kernel, for what handles every kernel alike: a device that checks them, and
// tests that move the memory.
#pragma once

#include <type_traits>
#include <vector>

#include "locus/kernel/kernels.h"

namespace locus::kernel {

// views_of(args)(f) calls f with every view of the arguments of a kernel.
template <class... Views>
auto each_of(Views&... views) {
  return [&](auto& f) { (f(views), ...); };
}
inline auto views_of(PackArgs& a) { return each_of(a.b, a.packed); }
inline auto views_of(MatmulArgs& a) { return each_of(a.a, a.packed, a.b, a.c, a.bias); }
inline auto views_of(MatmulSmallMArgs& a) { return each_of(a.a, a.b, a.c, a.bias); }
inline auto views_of(NormArgs& a) { return each_of(a.x, a.gamma, a.beta, a.y, a.mean, a.rstd); }
inline auto views_of(NormBackwardArgs& a) {
  return each_of(a.x, a.gamma, a.mean, a.rstd, a.dy, a.dx, a.dgamma, a.dbeta, a.workspace);
}
inline auto views_of(ActivationArgs& a) { return each_of(a.x, a.y); }
inline auto views_of(ActivationBackwardArgs& a) { return each_of(a.x, a.dy, a.dx); }
inline auto views_of(GatedArgs& a) { return each_of(a.gate, a.up, a.y); }
inline auto views_of(GatedBackwardArgs& a) { return each_of(a.gate, a.up, a.dy, a.dgate, a.dup); }
inline auto views_of(AddArgs& a) { return each_of(a.a, a.b, a.out); }
inline auto views_of(ScaleArgs& a) { return each_of(a.x, a.out); }
inline auto views_of(MultiplyArgs& a) { return each_of(a.a, a.b, a.out); }
inline auto views_of(BiasArgs& a) { return each_of(a.x, a.bias, a.out); }
inline auto views_of(ColumnSumArgs& a) { return each_of(a.x, a.out, a.workspace); }
inline auto views_of(DropoutArgs& a) { return each_of(a.x, a.y); }
inline auto views_of(ConvertArgs& a) { return each_of(a.from, a.to); }
inline auto views_of(GatherArgs& a) { return each_of(a.table, a.ids, a.out); }
inline auto views_of(ScatterAddArgs& a) { return each_of(a.rows, a.ids, a.table); }
inline auto views_of(GatherColumnsArgs& a) { return each_of(a.table, a.ids, a.out); }
inline auto views_of(GatherColumnsBackwardArgs& a) { return each_of(a.dout, a.ids, a.dtable); }
inline auto views_of(EmbedArgs& a) {
  return each_of(a.tokens.table, a.tokens.ids, a.positions.table, a.positions.ids, a.segments.table,
                 a.segments.ids, a.gamma, a.beta, a.y, a.mean, a.rstd);
}
inline auto views_of(EmbedBackwardArgs& a) {
  return [&a](auto& f) {
    views_of(a.forward)(f);
    each_of(a.dy, a.dx, a.dgamma, a.dbeta, a.workspace)(f);
  };
}
inline auto views_of(RotateArgs& a) { return each_of(a.x, a.y, a.cos, a.sin, a.rows); }
inline auto views_of(CrossEntropyArgs& a) { return each_of(a.logits, a.targets, a.weights, a.loss, a.lse); }
inline auto views_of(CrossEntropyBackwardArgs& a) {
  return each_of(a.logits, a.targets, a.weights, a.lse, a.dloss, a.dlogits);
}
inline auto views_of(AdamWArgs& a) {
  return [&a](auto& f) {
    for (const AdamWParameter& each : a.list) {  // of a copy that OwnArgs owns
      auto& own = const_cast<AdamWParameter&>(each);
      each_of(own.parameter, own.gradient, own.first, own.second)(f);
    }
  };
}
inline auto views_of(SequenceViews& s) {
  return each_of(s.query_starts, s.key_starts, s.query_positions, s.key_positions);
}
inline auto views_of(ExtendRoomArgs& a) { return each_of(a.keys, a.values, a.room.keys, a.room.values); }
inline auto views_of(DistanceDecayArgs& a) { return each_of(a.r1, a.r2, a.out); }
inline auto views_of(DistanceDecayBackwardArgs& a) {
  return [&a](auto& f) {
    views_of(a.forward)(f);
    each_of(a.dout, a.dr1, a.dr2)(f);
  };
}
inline auto views_of(PairQuotientArgs& a) {
  return [&a](auto& f) {
    each_of(a.c, a.multiplier, a.out)(f);
    views_of(a.sequences)(f);
  };
}
inline auto views_of(PairQuotientBackwardArgs& a) {
  return [&a](auto& f) {
    views_of(a.forward)(f);
    each_of(a.dout, a.dc, a.dmultiplier)(f);
  };
}
inline auto views_of(AttentionArgs& a) {
  return [&a](auto& f) {
    each_of(a.q, a.k, a.v, a.by_distance.table, a.by_query.table, a.by_query.slots, a.by_key.table,
            a.by_key.slots, a.dense, a.out, a.lse, a.workspace)(f);
    views_of(a.sequences)(f);
    for (const RoomViews& room : a.rooms) {  // of a copy that OwnArgs owns
      f(const_cast<ConstView&>(room.keys));
      f(const_cast<ConstView&>(room.values));
    }
  };
}
inline auto views_of(AttentionBackwardArgs& a) {
  return [&a](auto& f) {
    views_of(a.forward)(f);
    each_of(a.dout, a.dq, a.dk, a.dv, a.dby_distance, a.dby_query, a.dby_key, a.ddense, a.workspace)(f);
  };
}
inline auto views_of(SumArgs& a) { return each_of(a.x, a.out); }
inline auto views_of(SpreadArgs& a) { return each_of(a.x, a.out); }

// A copy of the arguments of a kernel that refers to no memory of the caller, except through views.
template <class Args>
struct OwnArgs {
  Args args;
  std::vector<RoomViews> rooms;
  std::vector<AdamWParameter> list;

  explicit OwnArgs(const Args& given) : args(given) {
    if constexpr (std::is_same_v<Args, AttentionArgs>) {
      rooms.assign(args.rooms.begin(), args.rooms.end());
      args.rooms = rooms;
    }
    if constexpr (std::is_same_v<Args, AdamWArgs>) {
      list.assign(args.list.begin(), args.list.end());
      args.list = list;
    }
  }
  OwnArgs(const OwnArgs&) = delete;
  OwnArgs& operator=(const OwnArgs&) = delete;
};

}  // namespace locus::kernel
