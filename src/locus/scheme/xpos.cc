// xPos: rotary whose pairs also fade with distance, the slow ones less.
//   q[p] = rotate(cos, sin) * z^( (p - c) / scale_base)
//   k[p] = rotate(cos, sin) * z^(-(p - c) / scale_base)      z = zeta[n] = (2n/d + gamma) / (1 + gamma)
// so that q_i.k_j carries zeta^((i - j) / scale_base). It fades for keys before their query only: a scheme
// for causal models.
//
// The centre c cancels in the product. The paper's code takes the middle of the sequence, which keeps the
// powers small; here c is that middle rounded to a multiple of 16384, so that sequences of one size share
// their table and a growing one rarely changes it. A sequence too long for f32 powers is refused.
// Sun et al. 2022, arXiv 2212.10554.
#include <algorithm>
#include <cmath>

#include "locus/scheme/position_table.h"
#include "locus/scheme/rotary_frequencies.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

constexpr int64_t kCentreStep = 16384;
constexpr double kLargestPower = 80;  // of e: f32 ends at 88, and q and k are numbers too

// The paper trains at 1024 tokens with a scale base of 512.
constexpr LengthRule kLengthRules[] = {{.option = "scale_base", .value = 512, .length = 1024, .least = 16}};

struct Decay {
  int64_t width = 0;
  double base = 10000, gamma = 0.4, scale_base = 512;

  double log_zeta(int64_t pair) const {
    return std::log((2.0 * static_cast<double>(pair) / static_cast<double>(width) + gamma) / (1 + gamma));
  }
  // How far from the centre the strongest decay stays a good f32 number.
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
      const double power = std::exp(static_cast<double>(position - variant * kCentreStep) * logs[n]);
      row[n] = static_cast<float>(std::cos(angle) * power);
      row[half + n] = static_cast<float>(std::sin(angle) * power);
      row[2 * half + n] = static_cast<float>(std::cos(angle) / power);
      row[3 * half + n] = static_cast<float>(std::sin(angle) / power);
    }
  };
}

class Xpos final : public Scheme {
 public:
  Xpos(const Decay& decay, bool interleaved)
      : decay_(decay),
        interleaved_(interleaved),
        table_(4, decay.width / 2, [decay](int64_t variant) { return row_of(decay, variant); }) {}

  Terms terms(const Placement& placement) const override {
    std::vector<int64_t> variants;
    for (int64_t b = 0; b < placement.count(); ++b) variants.push_back(centre(placement, b));
    const PositionTable::Found found = table_.find(placement, variants);
    return {.rotation = RotationTerm{.cos = found.parts[0],
                                     .sin = found.parts[1],
                                     .key_cos = found.parts[2],
                                     .key_sin = found.parts[3],
                                     .query_rows = found.query_rows,
                                     .key_rows = found.key_rows,
                                     .width = decay_.width,
                                     .interleaved = interleaved_}};
  }

 private:
  // In steps, for one sequence.
  int64_t centre(const Placement& placement, int64_t sequence) const {
    const int64_t first = placement.first_position(sequence), last = placement.last_position(sequence);
    const int64_t steps = (first + last + kCentreStep) / 2 / kCentreStep;
    const int64_t middle = steps * kCentreStep;
    require(
        std::max(last - middle, middle - first) <= decay_.reach(),
        "xpos: sequence {} has positions {} to {}; f32 holds its decay within {} of {}; shorten the text or "
        "raise option scale_base",
        sequence, first, last, decay_.reach(), middle);
    return steps;
  }

  Decay decay_;
  bool interleaved_;
  PositionTable table_;
};

std::unique_ptr<Scheme> make(const Geometry& geometry, const Options& options, const Scope&,
                             const InitRandom&) {
  const Decay decay{.width = rotated_width("xpos", geometry, options),
                    .base = options.number("base"),
                    .gamma = options.number("gamma"),
                    .scale_base = options.number("scale_base")};
  return std::make_unique<Xpos>(decay, options.choice("pairs") == "interleaved");
}

using Kind = OptionSpec::Kind;

constexpr OptionSpec kOptions[] = {
    {.name = "pairs",
     .kind = Kind::choice,
     .preset = "interleaved",
     .help = "which elements turn together: 2n and 2n + 1 (the paper's code), or n and n + d/2",
     .choices = "halves|interleaved"},
    {.name = "width",
     .kind = Kind::integer,
     .preset = "0",
     .help = "how many elements of each head turn; 0: all",
     .least = 0},
    {.name = "base", .preset = "10000", .help = "of the wavelengths", .least = 1},
    {.name = "gamma", .preset = "0.4", .help = "smaller: the fast pairs fade faster", .least = 1e-3},
    {.name = "scale_base",
     .preset = "512",
     .help = "distance over which a pair fades by its zeta",
     .least = 1},
};

}  // namespace

extern const SchemeInfo kXpos = {
    .name = "xpos",
    .summary = "rotary with an exponential decay over distance",
    .formula =
        "score(i, j) = scale * sum_n zeta[n]^((i-j)/scale_base) (rotate(q_i) . rotate(k_j))[n]\n"
        "zeta[n] = (2n/d + gamma) / (1 + gamma)",
    .paper = "Sun et al. 2022, arXiv 2212.10554",
    .models = "LeX, RetNet",
    .cost = "as rotary, with a second pair of tables for the keys",
    .acts_on = ActsOn::rotation,
    .relative = true,
    .extrapolates = true,
    .options = kOptions,
    .length_rules = kLengthRules,
    .make = make,
};

}  // namespace locus
