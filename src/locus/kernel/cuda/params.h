// The arguments of the GPU's kernels: plain structs that host and device compile alike. A vector of an Args
// struct is a pointer here, null if it is absent.
#pragma once

#include <cstdint>

#include "locus/base/half.h"

namespace locus::kernel::cuda {

// Rows of numbers in the memory of the GPU.
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0, cols = 0;
  int64_t stride = 0;  // elements from one row's start to the next

  constexpr explicit operator bool() const { return data != nullptr; }
  constexpr T& at(int64_t r, int64_t c) const { return data[r * stride + c]; }
};
using In = Matrix<const float>;
using Out = Matrix<float>;

// Rows of activations, f32 or bf16. cols and stride are numbers of elements.
template <class Byte>
struct Numbers {
  Byte* data = nullptr;
  int64_t rows = 0, cols = 0, stride = 0;
  bool bf16 = false;
  bool wide = false;  // eight elements of a row lie at a 16-byte address, if the column is a multiple of 8

  constexpr explicit operator bool() const { return data != nullptr; }
};
using NumbersIn = Numbers<const char>;
using NumbersOut = Numbers<char>;

// The values of Activation, whose header includes more than device code can compile.
enum : int { kNone, kGelu, kGeluTanh, kSilu, kRelu, kTanh };

inline constexpr int kThreads = 256;     // of a block, unless a kernel says otherwise
inline constexpr int kNarrowEights = 3;  // eights of a thread in rows that have a warp each
inline constexpr int64_t kNarrow = int64_t{8} * 32 * kNarrowEights;
inline constexpr int kMmaThreads = 128;  // of a block of attention with tensor cores

struct BinaryParams {  // add, multiply
  NumbersIn a, b;
  NumbersOut out;
};

struct ScaleParams {
  NumbersIn x;
  NumbersOut out;
  float factor;
};

struct BiasParams {
  NumbersIn x;
  const float* bias;
  NumbersOut out;
};

struct FillParams {
  Out out;
  float value;
};

struct Dropout {
  float rate;          // 0: none
  float factor;        // 1 / (1 - rate)
  uint32_t threshold;  // dropout_threshold(rate)
  uint64_t seed, stream;
};

struct DropoutParams {
  NumbersIn x;
  NumbersOut y;
  Dropout dropout;
};

// Number formats of ConvertParams: f32, bf16, f16, f64.
enum : int { kF32, kBf16, kF16, kF64 };

struct ConvertParams {
  Matrix<const char> from;  // cols and stride are numbers of elements
  Matrix<char> to;
  int from_format, to_format;
  bool wide;  // as that of Numbers, of both
};

struct ActivationParams {  // forward: x -> y; backward: x, dy -> y
  int activation;
  NumbersIn x, dy;
  NumbersOut y;
};

struct GatedParams {  // forward: y; backward: dgate, dup
  int activation;
  NumbersIn gate, up, dy;
  NumbersOut y, dgate, dup;
};

// Sums of columns, in parts of `grain` rows; part k is row k of the workspace.
struct ColumnSumParams {
  NumbersIn x;
  float* out;
  Out parts;
  int64_t grain;
};

struct SumParams {  // the sum of x, or of its squares, divided by divisor
  NumbersIn x;
  bool squared;
  double* parts;  // one for each block
  int64_t part_count;
  double divisor;
  float* out;
  double* wide;  // instead of out
};

struct SpreadParams {  // out = x / divisor in every element
  const float* x;
  double divisor;
  NumbersOut out;
};

struct AdamWParams {
  Out parameter;
  In gradient;
  Out first, second;
  float rate, beta1, beta2, rest1, rest2, eps, keep, scale;  // rest = 1 - beta; keep = 1 - rate decay
  float correction1, correction2;                            // 1 / (1 - beta^step)
};

struct GatherParams {
  NumbersIn table;
  const int32_t* ids;
  NumbersOut out;
};

struct ScatterAddParams {
  NumbersIn rows;
  const int32_t* ids;
  Out table;
  int32_t skip;
  float factor;
  bool wide;  // of the table, as that of Numbers
};

struct GatherColumnsParams {  // forward: table -> columns; backward: dcolumns -> dtable
  In table;
  const int32_t* ids;
  Out columns;
  In dcolumns;
  Out dtable;
};

struct ExtendRoomParams {
  In keys, values;
  Out room_keys, room_values;
  int64_t key_heads, count;
};

struct DistanceDecayParams {  // forward: out; backward: dout -> dr1, dr2
  const float *r1, *r2;
  bool power;
  int64_t least;
  Out out;
  In dout;
  float *dr1, *dr2;
};

struct PairQuotientParams {  // forward: out; backward: dout -> dc, dmultiplier
  const float *c, *multiplier;
  double threshold;
  const int32_t *query_starts, *key_starts, *query_positions, *key_positions;
  int64_t sequences;
  Out out;
  In dout;
  float *dc, *dmultiplier;
};

struct RotateParams {
  NumbersIn x;
  NumbersOut y;
  NumbersIn cos, sin;
  const int32_t* rows;
  int64_t heads, head_size, width;
  bool interleaved, backward;
  bool wide;  // eight pairs lie at 16-byte addresses
};

struct NormParams {
  NumbersIn x;
  const float *gamma, *beta;
  NumbersOut y;
  float *mean, *rstd;
  float eps;
  bool rms;
};

struct NormBackwardParams {
  NumbersIn x;
  const float *gamma, *mean, *rstd;
  NumbersIn dy;
  NumbersOut dx;
  float *dgamma, *dbeta;
  Out parts;  // first those of dgamma, then those of dbeta; absent if neither is needed
  int64_t grain, part_count;
  bool rms;
};

struct EmbedSource {
  NumbersIn table;
  const int32_t* ids;
};

struct EmbedParams {
  EmbedSource tokens, positions, segments;
  int64_t position_column;  // where the columns of positions start
  float token_scale;
  const float *gamma, *beta;
  float eps;
  bool rms;
  Dropout dropout;
  NumbersOut y;
  float *mean, *rstd;
};

struct EmbedBackwardParams {
  EmbedParams forward;
  NumbersIn dy;
  NumbersOut dx;
  float *dgamma, *dbeta;
  Out parts;
  int64_t grain, part_count;
};

struct CrossEntropyParams {
  NumbersIn logits;
  const int32_t* targets;
  const float* weights;
  float *loss, *lse;
  float smoothing;
};

struct CrossEntropyBackwardParams {
  NumbersIn logits;
  const int32_t* targets;
  const float *weights, *lse, *dloss;
  double divisor;
  NumbersOut dlogits;
  float smoothing;
};

// A product of bf16 matrices with f32 sums. k is cut into segments, by k alone: the sum of each starts at 0,
// and the sums are added in order. Segments that run in parallel write theirs to `sums`, one [m, n] after
// another; else `sums` has what was added so far.
struct ProductParams {
  const Bf16 *a, *b;
  int64_t m, n, k;
  int64_t a_stride, a_batch, b_stride, b_batch;
  NumbersOut c, sums;
  const float* bias;
  int64_t segment;  // numbers of k in a segment
  int segments;
  bool parallel, accumulate;
};
inline constexpr int kProductDepth = 32, kHopperDepth = 64;  // numbers of k in a piece
inline constexpr int kProductPieces = 4;                     // in shared memory

// Element (m, k) of a is at m a_m + k a_k, element (k, n) of b at k b_k + n b_n.
struct MatmulParams {
  const float *a, *b;
  Out c;
  int64_t m, n, k;
  int64_t a_m, a_k, a_batch;
  int64_t b_k, b_n, b_batch;
  const float* bias;
  bool accumulate;
};

struct Room {
  In keys, values;
};

struct Slots {
  In table;
  const int32_t* slots;
  int64_t zero;
  bool shared;  // one table for all heads
};

struct AttentionParams {
  In q, k, v;
  const Room* rooms;  // one for each sequence, instead of k and v
  const int32_t *query_starts, *key_starts, *query_positions, *key_positions;
  int64_t sequences;
  int64_t heads, key_heads, head_size;
  float scale, cap;
  bool causal, contiguous;
  int64_t window;
  In by_distance;
  int64_t distance_zero;
  Slots by_query, by_key;
  In dense;
  Dropout dropout;
  int64_t longest;
  Out out, lse;
};

struct AttentionBackwardParams {
  AttentionParams forward;
  In dout;
  Out dq, dk, dv, ddense;
  float* delta;        // [Nq, H]: dout . out
  Out distance_parts;  // [tiles of queries * H, S]: gradient of by_distance from every tile; absent if not
                       // needed
};

// Attention on tensor cores: activations and their gradients are bf16.
struct AttentionMmaParams {
  Matrix<const uint16_t> q, k, v;
  const int32_t *query_starts, *key_starts, *query_positions, *key_positions;
  int64_t sequences;
  int heads, key_heads;
  float scale, cap;
  bool causal;
  int64_t window;
  In by_distance;  // only with contiguous positions
  int64_t distance_zero;
  Dropout dropout;
  int64_t longest;
  Matrix<uint16_t> out;
  Out lse;
};

struct AttentionMmaBackwardParams {
  AttentionMmaParams forward;
  Matrix<const uint16_t> dout;
  Matrix<uint16_t> dq, dk, dv;
  Out delta;           // [H, Nq]: dout . out
  Out lse;             // [H, Nq]: the log of the sum of 2^score; infinity for a query that saw no key
  Out distance_parts;  // [tiles of queries * H, S]: gradient of by_distance from every tile, only at
                       // distances that the tile has; absent if not needed
  int rows;            // queries of a tile
  Out dby_distance;
};

// Gradient of by_distance: the sums over all tiles, in order.
struct AttentionStripParams {
  In parts;
  int64_t tiles;
  Out gradient;  // [H, S]
};

// Gradients that the pairs of one distance share. What each distance adds up, for head h and distance d:
enum : int {
  kOfTerm,   // sum of the gradients of the scores: [H, S], column d + zero
  kOfQuery,  // sum of the gradients times the query: row (h S + d + zero) of [H S, D]
  kOfKey     // the same with the key
};
struct AttentionDistanceParams {
  AttentionBackwardParams backward;
  int what;
  int64_t distances, zero;  // S
  Out sums;
};

// Gradient of a table of vectors: the sums of the distances of every slot, in order.
struct AttentionSlotParams {
  In sums;  // [H S, D]
  const int32_t* slots;
  int64_t distances, heads, head_size;  // S, H, D
  float scale;
  bool shared;
  Out gradient;
};

}  // namespace locus::kernel::cuda
