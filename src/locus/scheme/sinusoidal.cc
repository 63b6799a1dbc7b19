// Sines and cosines of the position at geometrically spaced wavelengths, added to the token embedding or
// joined (concatenated). With p' = p + first, d the width and n = 0 .. d/2 - 1:
//   angle(p, n) = p' / base^(2n/d)          spacing open: the paper, HF Marian
//   angle(p, n) = p' / base^(n/(d/2-1))     spacing closed: tensor2tensor, fairseq, marian-dev
//   row[2n] = sin, row[2n+1] = cos          pairs interleaved: the paper
//   row[n]  = sin, row[n+d/2] = cos         pairs halves: tensor2tensor, fairseq, Marian
// Computed in double and rounded once; defined for every position.
// Vaswani et al. 2017, arXiv 1706.03762.
#include "locus/scheme/sinusoidal.h"

#include <cmath>

#include "locus/scheme/position_table.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

struct Waves {
  int64_t width = 0;
  double base = 10000;
  int64_t first = 0;
  bool closed = false, interleaved = true;
};

PositionTable::Row row_of(const Waves& waves) {
  const int64_t half = waves.width / 2;
  std::vector<double> divisors;
  for (int64_t n = 0; n < half; ++n) {
    const double exponent = waves.closed
                                ? static_cast<double>(n) / static_cast<double>(std::max<int64_t>(half - 1, 1))
                                : static_cast<double>(2 * n) / static_cast<double>(waves.width);
    divisors.push_back(std::pow(waves.base, exponent));
  }
  return [=](int64_t position, std::span<float> row) {
    for (int64_t n = 0; n < half; ++n) {
      const double angle = static_cast<double>(position + waves.first) / divisors[n];
      row[waves.interleaved ? 2 * n : n] = static_cast<float>(std::sin(angle));
      row[waves.interleaved ? 2 * n + 1 : n + half] = static_cast<float>(std::cos(angle));
    }
  };
}

Waves waves_of(const Geometry& geometry, const Sinusoidal& options) {
  const Waves waves{.width = options.input.width_in(geometry, "sinusoidal"),
                    .base = options.base,
                    .first = options.first,
                    .closed = options.spacing == Sinusoidal::Spacing::closed,
                    .interleaved = options.pairs == Sinusoidal::Pairs::interleaved};
  if (waves.width % 2 != 0) {
    fail(Fault::usage,
         "scheme sinusoidal: the width is {}, expected an even number, for pairs of sine and cosine",
         waves.width);
  }
  return waves;
}

class SinusoidalScheme final : public Scheme {
 public:
  SinusoidalScheme(const Geometry& geometry, const Sinusoidal& options, const Scope& scope, const InitRandom&)
      : SinusoidalScheme(waves_of(geometry, options), options.input.joined(), scope.device()) {}

  SchemePass begin(const Placement& placement) const override {
    const PositionTable::Found found = table_.find(placement);
    return InputTerm{Var(found.tables[0]), found.query_rows, joined_width_ > 0};
  }
  int64_t joined_width() const override { return joined_width_; }

 private:
  SinusoidalScheme(const Waves& waves, bool joined, Device device)
      : table_(
            1, waves.width, [=](int64_t) { return row_of(waves); }, device),
        joined_width_(joined ? waves.width : 0) {}

  PositionTable table_;
  int64_t joined_width_;  // 0: added, not joined
};

}  // namespace

extern const SchemeInfo kSinusoidal = {
    .name = "sinusoidal",
    .summary = "adds fixed sines and cosines of the position to the token embedding, or concatenates them",
    .aliases = "sinusoidal positional encoding, sin/cos, sincos, vaswani",
    .formula = "x[p, 2n] += sin(p / base^(2n/d))\nx[p, 2n+1] += cos(p / base^(2n/d))",
    .paper = "Vaswani et al. 2017, arXiv 1706.03762",
    .models = "the original Transformer, Marian and Opus-MT, M2M100, NLLB, DistilBERT (optional)",
    .cost =
        "no parameters; one more embedding row read per token and forward pass; the table is computed once",
    .acts_on = ActsOn::input,
    .extrapolates = true,
    .options = option_specs<Sinusoidal>,
    .make = make_typed<SinusoidalScheme, Sinusoidal>,
};

}  // namespace locus
