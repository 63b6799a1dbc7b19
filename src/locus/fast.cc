#include "locus/fast.h"

#include <algorithm>

#include "locus/kernel/attention.h"
#include "locus/op/attention.h"
#include "locus/op/embed.h"
#include "locus/op/rotate.h"
#include "locus/scheme/distance.h"
#include "locus/scheme/scheme.h"

namespace locus {

extern const SchemeInfo kRotary;
extern const SchemeInfo kAlibi;

namespace fast {
namespace {

Tensor ids_of(ListView<int32_t> ids) { return Tensor::of({std::ssize(ids)}, std::span<const int32_t>(ids)); }

// Not by make_scheme(), after which a program cannot register schemes. The options are checked in the same
// way.
template <class T>
std::unique_ptr<Scheme> make(const SchemeInfo& info, const T& options, const Geometry& geometry) {
  Parameters none;
  return info.make(geometry, Options(info.name, info.options.list(), field_values(options)), Scope(none),
                   InitRandom());
}

void check_heads(const char* function, int64_t heads) {
  require(heads > 0, Code::bad_shape, "{}: heads is {}, expected at least 1", function, heads);
}

// Distances below `length` in both directions.
DistanceSpan span_of(const char* function, int64_t length) {
  require(length > 0 && length <= kMostDistances / 2, "{}: length is {}, expected 1 to {}", function, length,
          kMostDistances / 2);
  return {1 - length, length - 1};
}

Placement one_sequence(ListView<int32_t> positions) {
  return Placement::given(ids_of(positions).reshape({1, std::ssize(positions)}));
}

}  // namespace

struct Rotator::State {
  int64_t head_size;
  std::unique_ptr<Scheme> scheme;

  void turn(const Tensor& x, const Placement& placement, bool backward) const {
    require(x && x.shape().rank() == 2 && x.size(1) % head_size == 0, Code::bad_shape,
            "Rotator: x has shape {}, expected [tokens, heads * {}]", x.shape(), head_size);
    op::rotate_in_place(x, *scheme->begin(placement).rotation(), x.size(1) / head_size, backward);
  }
};

Rotator::Rotator(int64_t head_size, const Rotary& options, int64_t max_length) {
  require(head_size > 0 && head_size <= kernel::kMaxHeadSize, Code::bad_shape,
          "Rotator: head_size is {}, expected 1 to {}", head_size, kernel::kMaxHeadSize);
  require(max_length >= 0, "Rotator: max_length is {}, expected 0 or more (0: unknown)", max_length);
  const Geometry geometry = {
      .width = head_size, .heads = 1, .head_size = head_size, .max_length = max_length};
  state_ = std::make_unique<State>(State{head_size, make(kRotary, options, geometry)});
}

Rotator::Rotator(Rotator&&) noexcept = default;
Rotator& Rotator::operator=(Rotator&&) noexcept = default;
Rotator::~Rotator() = default;

void Rotator::rotate(const Tensor& x, ListView<int32_t> positions) const {
  rotate(x, one_sequence(positions));
}
void Rotator::rotate(const Tensor& x, const Placement& placement) const { state_->turn(x, placement, false); }
void Rotator::rotate_back(const Tensor& dy, ListView<int32_t> positions) const {
  rotate_back(dy, one_sequence(positions));
}
void Rotator::rotate_back(const Tensor& dy, const Placement& placement) const {
  state_->turn(dy, placement, true);
}

int64_t Rotator::head_size() const { return state_->head_size; }
RotationTerm Rotator::angles(const Placement& placement) const {
  return *state_->scheme->begin(placement).rotation();
}

DistanceBias alibi_bias(int64_t heads, int64_t length, const Alibi& options, int64_t head_size) {
  check_heads("alibi_bias", heads);
  span_of("alibi_bias", length);
  require(head_size > 0 || (head_size == 0 && !options.scaled), "alibi_bias: head_size is {}, expected {}",
          head_size, options.scaled ? "at least 1 for option scaled" : "0 or more (0: unknown)");
  const Geometry geometry = {.width = heads, .heads = heads, .head_size = std::max<int64_t>(head_size, 1)};
  const auto scheme = make(kAlibi, options, geometry);
  const DistanceTerm term = *scheme->begin(Placement::rectangle(1, length)).scores({}).by_distance;
  return {term.table.value().clone(), term.zero};
}

DistanceBias distance_bias(int64_t heads, int64_t length,
                           const std::function<double(int64_t head, int64_t distance)>& value) {
  check_heads("distance_bias", heads);
  const DistanceSpan span = span_of("distance_bias", length);
  return {distance_table(span, Tensor::empty({0}), heads, value), span.zero()};
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Placement& placement,
                 const AttentionOptions& options) {
  ScoreTerms terms;
  if (options.bias.table) terms.by_distance = {Var(options.bias.table), options.bias.zero};
  Var queries(q), keys(k);
  if (const Rotator* rotator = options.rotator) {
    const int64_t heads = options.heads, size = rotator->head_size();
    check_heads("attention", heads);
    require(q && q.shape().rank() == 2 && q.size(1) == heads * size, Code::bad_shape,
            "attention: q has shape {}, expected [tokens, {}] for {} heads of size {} as in the rotator",
            q.shape(), heads * size, heads, size);
    const RotationTerm angles = rotator->angles(placement);
    queries = op::rotate_queries(queries, angles, heads);
    keys = op::rotate_keys(keys, angles, options.key_heads == 0 ? heads : options.key_heads);
  }
  return op::attention(queries, keys, Var(v), placement.sequences(), terms,
                       {.heads = options.heads,
                        .key_heads = options.key_heads,
                        .scale = options.scale,
                        .cap = options.cap,
                        .causal = options.causal,
                        .window = options.window})
      .value();
}

Tensor embed_norm(const EmbedTables& tables, ListView<int32_t> ids, ListView<int32_t> rows) {
  const auto constant = [](const Tensor& tensor) { return tensor ? Var(tensor) : Var(); };
  std::optional<InputTerm> input;
  if (tables.positions) input = InputTerm{Var(tables.positions), ids_of(rows)};
  require(tables.positions || rows.empty(), "embed_norm: got {} rows without a table of positions",
          rows.size());
  return op::embed(constant(tables.tokens), ids_of(ids), input,
                   {.gamma = constant(tables.gamma),
                    .beta = constant(tables.beta),
                    .eps = tables.eps,
                    .rms = tables.rms})
      .value();
}

}  // namespace fast
}  // namespace locus
