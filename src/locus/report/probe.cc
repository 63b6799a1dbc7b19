#include "locus/report/probe.h"

#include <fmt/format.h>

#include <cmath>

#include "locus/nn/transformer.h"
#include "locus/op/rotate.h"
#include "locus/scheme/initializer.h"

namespace locus::report {
namespace {

constexpr uint64_t kSeed = 1;

// One head of the probe at every token, rotated if the scheme rotates: [tokens, D].
std::vector<double> probes(const std::optional<RotationTerm>& term, int64_t tokens, int64_t size, bool keys) {
  const Device device = term ? term->cos.device() : Device::cpu;
  const Var same(Tensor::full({tokens, size}, std::pow(size, -0.25), DType::f32, device));
  const Var rotated = !term  ? same
                      : keys ? op::rotate_keys(same, *term, 1)
                             : op::rotate_queries(same, *term, 1);
  const std::vector<float> values = rotated.value().on_host().values();
  return {values.begin(), values.end()};
}

double dot(const double* a, const double* b, int64_t size) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

// A slot term with its table read once.
class SlotVectors {
 public:
  SlotVectors(const std::optional<SlotTerm>& term, int64_t size) : term_(term), size_(size) {
    if (!term) return;
    const std::vector<float> values = term->table.value().on_host().values();
    table_.assign(values.begin(), values.end());
    slots_ = term->slots.values();
  }
  // vector . table[h, slot(distance)]; 0 without a term.
  double product(const double* vector, int64_t head, int64_t distance) const {
    if (!term_) return 0;
    const int64_t width = term_->table.shape()[1], slot = slots_[distance + term_->zero];
    return dot(vector, &table_[slot * width + (width == size_ ? 0 : head * size_)], size_);
  }

 private:
  const std::optional<SlotTerm>& term_;
  int64_t size_;
  std::vector<double> table_;
  std::span<const int32_t> slots_;
};

Placement placed_at(std::span<const int32_t> positions) {
  return Placement::given(Tensor::of({1, static_cast<int64_t>(positions.size())}, positions));
}

}  // namespace

Probe::Probe(const SchemeInfo& info, const Geometry& geometry, const OptionValues& options)
    : info_(info), geometry_(geometry) {
  Parameters parameters;
  made_ = make_scheme(info.name, geometry, options, Scope(parameters), Random(kSeed, 0));
  scheme_ = made_.get();
  parameters_ = parameters.numel();
  // Initial weights of a layer, as in most models.
  Initializer initial(Random(kSeed, 1));
  const Shape shape = {geometry.heads * geometry.head_size, geometry.width};
  layer_.query_weight = Var(initial.normal(shape, 0.02));
  layer_.key_weight = Var(initial.normal(shape, 0.02));
}

Probe::Probe(const Model& model, Part part, Layers layers)
    : info_(scheme_info(layers == Layers::global ? model.blueprint().global.scheme
                                                 : model.blueprint().scheme)) {
  const bool encoder = part == Part::encoder;
  const Stack* stack = encoder ? model.transformer().encoder() : model.transformer().decoder();
  require(stack != nullptr, "missing stack in the model: expected one with {}",
          encoder ? "an encoder" : "a decoder");
  const Blueprint& b = model.blueprint();
  geometry_ = (encoder ? b.encoder_part() : b.decoder_part()).geometry();
  const bool global = layers == Layers::global;
  scheme_ = global ? stack->global_scheme() : &stack->scheme();
  const std::string branch =
      fmt::format("{}.{}.", encoder ? "encoder" : "decoder", global ? "global_scheme" : "scheme");
  for (const NamedParameter& parameter : model.parameters().all()) {
    if (parameter.name.starts_with(branch)) parameters_ += parameter.var.value().numel();
  }
  const NoGrad no_grad;
  for (int64_t i = geometry_.layers; i-- > 0;) {
    if (b.is_global(i) == global || b.global.scheme.empty())
      layer_ = stack->layer(static_cast<size_t>(i)).view();
  }
}

Probe::Found Probe::find(std::span<const int32_t> queries, std::span<const int32_t> keys) const {
  const NoGrad no_grad;
  const Placement placement = placed_at(queries).cross_attention(placed_at(keys));
  SchemePass pass = scheme_->begin(placement);
  ScoreTerms scores = pass.scores(layer_);
  return {placement.sequences(), std::move(pass), std::move(scores)};
}

std::vector<std::string_view> Probe::kinds() const {
  constexpr int32_t kPositions[] = {0};
  const Found found = find(kPositions, kPositions);
  std::vector<std::string_view> kinds;
  if (found.pass.input()) kinds.push_back("input");
  if (found.pass.rotation()) kinds.push_back("rotation");
  const ScoreTerms& scores = found.scores;
  if (scores.by_distance || scores.by_query || scores.by_key || scores.dense) kinds.push_back("score");
  return kinds;
}

std::vector<double> Probe::scores(std::span<const int32_t> queries, std::span<const int32_t> keys) const {
  const Found found = find(queries, keys);
  const auto Q = static_cast<int64_t>(queries.size()), K = static_cast<int64_t>(keys.size());
  const int64_t H = geometry_.heads, D = geometry_.head_size;
  const std::vector<double> q = probes(found.pass.rotation(), Q, D, false);
  const std::vector<double> k = probes(found.pass.rotation(), K, D, true);
  const double scale = found.scores.scale ? *found.scores.scale : 1 / std::sqrt(static_cast<double>(D));
  const SlotVectors by_query(found.scores.by_query, D), by_key(found.scores.by_key, D);
  const auto& by_distance = found.scores.by_distance;
  const std::vector<float> bias =
      by_distance ? by_distance->table.value().on_host().values() : std::vector<float>();
  const int64_t columns = by_distance ? by_distance->table.shape()[1] : 0;
  const std::vector<float> dense =
      found.scores.dense ? found.scores.dense.value().on_host().values() : std::vector<float>();

  std::vector<double> scores;
  scores.reserve(static_cast<size_t>(H * Q * K));
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t i = 0; i < Q; ++i) {
      for (int64_t j = 0; j < K; ++j) {
        const int64_t d = keys[j] - queries[i];
        const double *q_i = &q[i * D], *k_j = &k[j * D];
        double score = scale * (dot(q_i, k_j, D) + by_query.product(q_i, h, d) + by_key.product(k_j, h, d));
        if (by_distance) score += bias[h * columns + d + by_distance->zero];
        if (!dense.empty()) score += dense[(h * Q + i) * K + j];
        scores.push_back(score);
      }
    }
  }
  return scores;
}

std::vector<double> Probe::input_rows(std::span<const int32_t> positions) const {
  const Found found = find(positions, positions);
  if (!found.pass.input()) return {};
  const InputTerm& term = *found.pass.input();
  const auto width = static_cast<size_t>(term.table.shape()[1]);
  const std::vector<float> table = term.table.value().on_host().values();
  std::vector<double> rows;
  rows.reserve(positions.size() * width);
  for (const int32_t row : term.rows.values()) {
    const float* first = &table[static_cast<size_t>(row) * width];
    rows.insert(rows.end(), first, first + width);
  }
  return rows;
}

}  // namespace locus::report
