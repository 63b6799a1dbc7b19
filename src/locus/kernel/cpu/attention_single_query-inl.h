// Attention of single queries over the rooms of a KV cache: a decoding step, limited by reading keys and
// values once. Heads that share a key head are computed together, as a team. There are two passes: scores,
// split by team and keys, then outputs, split by team and columns of the values. So even one sequence keeps
// several threads busy, and no sum is split: every sum has the same order as in a panel of queries
// (attention.cc), and a query gets the same bits whether it is alone or not.
#if defined(LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_
#undef LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_
#else
#define LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_
#endif

#include "locus/kernel/cpu/attention-inl.h"
#include "locus/kernel/cpu/team_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// Keys whose scores are one task, and columns of values whose sums are one task.
inline constexpr int64_t kScoreKeys = 256, kSumColumns = 32;

// Heads that share a key head: the first one, and how many.
struct Team {
  Head head;
  int64_t count;
};
inline int64_t teams_of_key_head(const AttentionArgs& args) {
  return divide_up(args.heads / args.key_heads, kTeam);
}
inline Team team_of(const AttentionArgs& args, int64_t b, int64_t index) {
  const int64_t teams = teams_of_key_head(args), shared = args.heads / args.key_heads;
  const int64_t g = index / teams, begin = index % teams * shared / teams;
  return {head_of(args, b, g * shared + begin), (index % teams + 1) * shared / teams - begin};
}

// Sizes of the scores of all sequences, [heads][keys rounded up to blocks] for each, and of the scratch
// memory of a thread.
inline int64_t single_query_scores(const AttentionArgs& args, int64_t sequences, int64_t keys) {
  return (keys + sequences * kRoomBlock) * args.heads;
}
inline int64_t single_query_scratch(const AttentionArgs& args) {
  return kTeam * (padded(args.head_size, kRoomBlock) + kBlockKeys);
}

struct SingleQueryWorkspace {
  float *scores, *threads;
  int64_t thread_size;

  // The scores of a head; a team's heads are `score_stride` apart.
  float* scores_of(const AttentionArgs& args, const Head& head) const {
    return scores + (head.k + head.b * kRoomBlock) * args.heads + head.h * score_stride(head);
  }
  static int64_t score_stride(const Head& head) { return padded(head.k_count, kRoomBlock); }
  float* scratch() const { return threads + thread_index() * thread_size; }
};

// The range of keys that the query sees, starting at a whole block.
HWY_INLINE KeyRange keys_of_single(const AttentionArgs& args, const Head& head) {
  return keys_of(args, head, Panel{.first = 0, .count = 1, .q = nullptr});
}

// The terms of the scores of one head that are added to the products: s has the scores of [begin, end).
HWY_INLINE void finish_scores(const AttentionArgs& args, const Head& head, int64_t begin, int64_t end,
                              float* s) {
  if (args.by_distance.table && !args.sequences.contiguous) {
    const float* table = args.by_distance.table.row<float>(head.h) + args.by_distance.zero;
    const int32_t q_at = args.sequences.query_positions.as<int32_t>()[head.q];
    const int32_t* k_at = args.sequences.key_positions.as<int32_t>() + head.k;
    for (int64_t j = begin; j < end; ++j) s[j] += table[k_at[j] - q_at];
  }
  if (args.dense) {
    const float* dense = args.dense.row<float>(head.h) + head.pair;
    for (int64_t j = begin; j < end; ++j) s[j] += dense[j];
  }
  if (args.cap > 0) cap_scores(s + begin, end - begin, args.cap);
  const int64_t hidden = args.window > 0 ? head.k_count - args.window : 0;
  for (int64_t j = begin; j < std::min(hidden, end); ++j) s[j] = -std::numeric_limits<float>::infinity();
}

// What the sums of products start from: with contiguous positions the bias, which is a piece of its table.
HWY_INLINE void start_scores(const AttentionArgs& args, const Head& head, int64_t begin, int64_t end,
                             float* s) {
  std::fill(s + begin, s + padded(end, kRoomBlock), 0.0f);
  if (!args.by_distance.table || !args.sequences.contiguous) return;
  const int64_t distance = args.sequences.key_positions.as<int32_t>()[head.k] -
                           args.sequences.query_positions.as<int32_t>()[head.q];
  const float* table = args.by_distance.table.row<float>(head.h) + args.by_distance.zero + distance;
  std::copy(table + begin, table + end, s + begin);
}

inline void ScoreTeam(const AttentionArgs& args, const Team& team, int64_t begin, int64_t end,
                      const SingleQueryWorkspace& workspace) {
  const int64_t D = args.head_size, stride = workspace.score_stride(team.head);
  float *q = workspace.scratch(), *s = workspace.scores_of(args, team.head);
  scale_into(q, queries_of(args, team.head), team.count * D, args.scale);
  Head head = team.head;
  for (int64_t h = 0; h < team.count; ++h, ++head.h) start_scores(args, head, begin, end, s + h * stride);
  const float* keys = room_of(args, team.head).keys;
  const auto at = [&](int64_t j) { return j / kRoomBlock * kRoomBlock * D + j % kRoomBlock; };
  for (int64_t j = begin; j < end;) {
    const bool several = j + kTeamVectors * kLanes <= padded(end, kRoomBlock);
    TeamProduct product = {.a = q,
                           .a_stride = D,
                           .b = keys + at(j),
                           .b_step = kRoomBlock,
                           .depth = D,
                           .c = s + j,
                           .c_stride = stride};
    for (int64_t v = 1; v < kTeamVectors; ++v) product.vector_at[v] = at(j + v * kLanes) - at(j);
    run_team(team.count, several, product);
    j += several ? kTeamVectors * kLanes : kLanes;
  }
  head = team.head;
  for (int64_t h = 0; h < team.count; ++h, ++head.h) finish_scores(args, head, begin, end, s + h * stride);
}

struct SingleQuerySoftmax {
  float largest = -std::numeric_limits<float>::infinity(), sum = 0;
};

// weights = e^(s - largest) of a block of keys. Returns the factor that rescales earlier sums, including the
// one in `state`, to the new maximum.
HWY_INLINE float softmax_single_query(const float* s, int64_t keys, SingleQuerySoftmax& state,
                                      float* weights) {
  const F f;
  const hn::CappedTag<float, 1> one;
  V most = hn::Set(f, state.largest);
  int64_t j = 0;
  for (; j + kLanes <= keys; j += kLanes) most = hn::Max(most, hn::LoadU(f, s + j));
  auto now = hn::Set(one, hn::GetLane(hn::MaxOfLanes(f, most)));
  for (; j < keys; ++j) now = hn::Max(now, hn::LoadU(one, s + j));
  const float largest = hn::GetLane(now);
  const float base = largest == -std::numeric_limits<float>::infinity() ? 0 : largest;
  const float rescale = hn::GetLane(exp(one, hn::Set(one, state.largest - base)));
  sweep_into(weights, keys, [&](auto d, int64_t i) HWY_ATTR {
    return exp(d, hn::Sub(hn::LoadU(d, s + i), hn::Set(d, base)));
  });
  state.largest = largest;
  state.sum *= rescale;
  for (j = 0; j < keys; ++j) state.sum += weights[j];
  return rescale;
}

// The columns [begin, end) of the outputs of a team; columns past the head size are padding.
inline void SumTeam(const AttentionArgs& args, const Team& team, int64_t begin, int64_t end,
                    const SingleQueryWorkspace& workspace) {
  const int64_t stride = workspace.score_stride(team.head), width = end - begin;
  const float* s = workspace.scores_of(args, team.head);
  const RoomHead room = room_of(args, team.head);
  float *weights = workspace.scratch(), *out = weights + kTeam * kBlockKeys;
  std::fill_n(out, team.count * width, 0.0f);
  SingleQuerySoftmax states[kTeam];
  const KeyRange range = keys_of_single(args, team.head);
  for (int64_t j = range.begin; j < range.end; j += kBlockKeys) {
    const int64_t keys = std::min(kBlockKeys, range.end - j);
    for (int64_t h = 0; h < team.count; ++h) {
      const float rescale =
          softmax_single_query(s + h * stride + j, keys, states[h], weights + h * kBlockKeys);
      scale_into(out + h * width, out + h * width, width, rescale);
    }
    for (int64_t c = 0; c < width;) {
      const bool several = c + kTeamVectors * kLanes <= width;
      run_team(team.count, several,
               {.a = weights,
                .a_stride = kBlockKeys,
                .b = room.values + j * room.value_stride + begin + c,
                .b_step = room.value_stride,
                .vector_at = {0, kLanes, 2 * kLanes, 3 * kLanes},
                .depth = keys,
                .c = out + c,
                .c_stride = width});
      c += several ? kTeamVectors * kLanes : kLanes;
    }
  }
  float* to = args.out.row<float>(team.head.q) + team.head.h * args.head_size + begin;
  for (int64_t h = 0; h < team.count; ++h, to += args.head_size) {
    const float factor = states[h].sum == 0 ? 0 : 1 / states[h].sum;
    scale_into(to, out + h * width, std::min(end, args.head_size) - begin, factor);
  }
}

// Calls task(team, i) for `pieces` pieces of every team of every sequence that is a single query.
template <class Task>
HWY_INLINE void each_team(const AttentionArgs& args, int64_t pieces, Task task) {
  const int64_t teams = args.key_heads * teams_of_key_head(args);
  parallel_for(sequence_count(args) * teams * pieces, 1, [&](int64_t i, int64_t) HWY_ATTR {
    const Team team = team_of(args, i / pieces / teams, i / pieces % teams);
    if (single_query(args, team.head)) task(team, i % pieces);
  });
}

inline void RunSingleQueries(const AttentionArgs& args, const SingleQueryWorkspace& workspace) {
  each_team(args, divide_up(args.longest, kScoreKeys), [&](const Team& team, int64_t i) HWY_ATTR {
    const KeyRange range = keys_of_single(args, team.head);
    const int64_t begin = range.begin + i * kScoreKeys, end = std::min(begin + kScoreKeys, range.end);
    if (begin < end) ScoreTeam(args, team, begin, end, workspace);
  });
  const int64_t columns = padded(args.head_size, kRoomBlock);
  each_team(args, divide_up(columns, kSumColumns), [&](const Team& team, int64_t i) HWY_ATTR {
    SumTeam(args, team, i * kSumColumns, std::min((i + 1) * kSumColumns, columns), workspace);
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
