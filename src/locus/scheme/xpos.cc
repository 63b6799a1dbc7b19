// xPos: rotary embeddings whose pairs also decay with distance, slow pairs less than fast ones.
//   q[p] = rotate(cos, sin) * z^( (p - c) / scale_base)
//   k[p] = rotate(cos, sin) * z^(-(p - c) / scale_base)      z = zeta[n] = (2n/d + gamma) / (1 + gamma)
// so that q_i.k_j contains the factor zeta^((i - j) / scale_base). It decays only for keys before their
// query, so the scheme is meant for causal models.
//
// The center c cancels in the product. The authors' code uses the middle of the sequence, which keeps the
// powers small. Here c is that middle rounded to a multiple of 16384, so that sequences of similar size share
// a table and a growing sequence rarely needs a new one; its cached keys are then computed again. A sequence
// too long for f32 powers is an error. Sun et al. 2022, arXiv 2212.10554.
#include "locus/scheme/xpos.h"

#include <algorithm>
#include <cmath>

#include "locus/scheme/position_table.h"
#include "locus/scheme/rotary_frequencies.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

constexpr int64_t kCenterStep = 16384;
constexpr double kLargestPower = 80;  // of e: f32 overflows at 88, and leaves room for q and k

// The paper trains at 1024 tokens with a scale base of 512.
constexpr LengthRule kXposLengthRules[] = {
    {.option = "scale_base", .value = 512, .length = 1024, .least = 16}};

struct Decay {
  int64_t width = 0;
  double base = 10000, gamma = 0.4, scale_base = 512;

  double log_zeta(int64_t pair) const {
    return std::log((2.0 * static_cast<double>(pair) / static_cast<double>(width) + gamma) / (1 + gamma));
  }
  // The largest distance from the center at which the strongest decay is still a normal f32 number.
  int64_t reach() const {
    return static_cast<int64_t>(std::min(kLargestPower * scale_base / -log_zeta(0), 1e9));
  }
};

PositionTable::Row row_of(const Decay& decay, int64_t variant) {
  const int64_t half = decay.width / 2;
  std::vector<double> frequencies, logs;
  for (int64_t n = 0; n < half; ++n) {
    frequencies.push_back(
        std::pow(decay.base, -2.0 * static_cast<double>(n) / static_cast<double>(decay.width)));
    logs.push_back(decay.log_zeta(n) / decay.scale_base);
  }
  return [=](int64_t position, std::span<float> row) {
    for (int64_t n = 0; n < half; ++n) {
      const double angle = static_cast<double>(position) * frequencies[n];
      const double power = std::exp(static_cast<double>(position - variant * kCenterStep) * logs[n]);
      row[n] = static_cast<float>(std::cos(angle) * power);
      row[half + n] = static_cast<float>(std::sin(angle) * power);
      row[2 * half + n] = static_cast<float>(std::cos(angle) / power);
      row[3 * half + n] = static_cast<float>(std::sin(angle) / power);
    }
  };
}

class XposScheme final : public Scheme {
 public:
  XposScheme(const Geometry& geometry, const Xpos& options, const Scope& scope, const InitRandom&)
      : decay_{.width = rotated_width("xpos", geometry, options.width),
               .base = options.base,
               .gamma = options.gamma,
               .scale_base = options.scale_base},
        interleaved_(options.pairs == RotaryPairs::interleaved),
        table_(
            4, decay_.width / 2, [decay = decay_](int64_t variant) { return row_of(decay, variant); },
            scope.device()) {}

  SchemePass begin(const Placement& placement) const override {
    std::vector<int64_t> variants;
    for (int64_t b = 0; b < placement.count(); ++b) variants.push_back(center(placement, b));
    const PositionTable::Found found = table_.find(placement, variants);
    return RotationTerm{.cos = found.tables[0],
                        .sin = found.tables[1],
                        .key_cos = found.tables[2],
                        .key_sin = found.tables[3],
                        .query_rows = found.query_rows,
                        .key_rows = found.key_rows,
                        .width = decay_.width,
                        .interleaved = interleaved_};
  }

  int64_t variant(int64_t length) const override { return middle_step(0, length - 1); }

 private:
  // The middle of positions, in multiples of kCenterStep. The first position counts in whole steps, so that
  // the middle does not depend on a small offset.
  static int64_t middle_step(int64_t first, int64_t last) {
    return (first / kCenterStep * kCenterStep + last + kCenterStep) / 2 / kCenterStep;
  }

  // The center of one sequence, in multiples of kCenterStep.
  int64_t center(const Placement& placement, int64_t sequence) const {
    const int64_t first = placement.first_position(sequence), last = placement.last_position(sequence);
    const int64_t steps = middle_step(first, last);
    const int64_t middle = steps * kCenterStep;
    require(std::max(last - middle, middle - first) <= decay_.reach(), Code::bad_position,
            "scheme xpos: sequence {} has positions {} to {}, expected positions within {} of {}, or a "
            "larger option scale_base: the decay would overflow f32",
            sequence, first, last, decay_.reach(), middle);
    return steps;
  }

  Decay decay_;
  bool interleaved_;
  PositionTable table_;
};

}  // namespace

extern const SchemeInfo kXpos = {
    .name = "xpos",
    .summary = "rotary embeddings whose scores also decay exponentially with distance",
    .aliases = "LeX",
    .formula =
        "score(i, j) = scale * sum_n zeta[n]^((i-j)/scale_base) (rotate(q_i) . rotate(k_j))[n]\n"
        "zeta[n] = (2n/d + gamma) / (1 + gamma)",
    .paper = "Sun et al. 2022, arXiv 2212.10554",
    .models = "LeX, RetNet",
    .cost = "the cost of rotary, and a second pair of tables for the keys",
    .acts_on = ActsOn::rotation,
    .relative = true,
    .extrapolates = true,
    .options = option_specs<Xpos>,
    .length_rules = kXposLengthRules,
    .make = make_typed<XposScheme, Xpos>,
};

}  // namespace locus
