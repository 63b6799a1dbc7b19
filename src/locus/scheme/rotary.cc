// Rotary embeddings (RoPE): each pair of query and key components is rotated by an angle proportional to the
// position, so that the product of a query and a key depends on their distance only.
//   (q, k)[p] = rotate(cos(p frequency[n]) * a, sin(p frequency[n]) * a), n = 0 .. d/2 - 1
// with the frequencies and the attention factor a of rotary_frequencies.h. Pair n is (x[n], x[n + d/2]), or
// (x[2n], x[2n+1]) when interleaved. If d is smaller than the head size, the other components stay unchanged.
//
// Precision `precise` computes in double and rounds cosine and sine once. `hf` rounds where the float32 code
// of transformers does: f32 frequencies, their f32 product with the position, cosine and sine of that f32
// angle, times an f32 attention factor. The angles are bit-identical to transformers. Its cosines and sines
// come from torch's vector functions, which differ between machines, by up to 2 ulp from the correctly
// rounded values here.
//
// Scalings that depend on the length (dynamic, longrope) use the length of each sequence on its own: its last
// position + 1.
// Su et al. 2021, arXiv 2104.09864.
#include <cmath>

#include "locus/scheme/position_table.h"
#include "locus/scheme/rotary_frequencies.h"

namespace locus {
namespace {

PositionTable::Row row_of(const RotaryFrequencies& f, int64_t variant) {
  const double a = f.attention_factor;
  if (f.hf) {
    return [frequencies = f.of(variant), a = static_cast<float>(a)](int64_t position, std::span<float> row) {
      for (size_t n = 0; n < frequencies.size(); ++n) {
        const double angle = static_cast<float>(position) * static_cast<float>(frequencies[n]);
        row[n] = static_cast<float>(std::cos(angle)) * a;
        row[frequencies.size() + n] = static_cast<float>(std::sin(angle)) * a;
      }
    };
  }
  return [frequencies = f.of(variant), a](int64_t position, std::span<float> row) {
    for (size_t n = 0; n < frequencies.size(); ++n) {
      const double angle = static_cast<double>(position) * frequencies[n];
      row[n] = static_cast<float>(std::cos(angle) * a);
      row[frequencies.size() + n] = static_cast<float>(std::sin(angle) * a);
    }
  };
}

class Rotary final : public Scheme {
 public:
  Rotary(const RotaryFrequencies& frequencies, bool interleaved)
      : frequencies_(frequencies),
        interleaved_(interleaved),
        table_(2, frequencies.width / 2,
               [frequencies](int64_t variant) { return row_of(frequencies, variant); }) {}

  Terms terms(const Placement& placement) const override {
    std::vector<int64_t> variants;
    for (int64_t b = 0; b < placement.count(); ++b) {
      variants.push_back(frequencies_.variant(placement.last_position(b) + 1));
    }
    const PositionTable::Found found = table_.find(placement, variants);
    return {.rotation = RotationTerm{.cos = found.tables[0],
                                     .sin = found.tables[1],
                                     .query_rows = found.query_rows,
                                     .key_rows = found.key_rows,
                                     .width = frequencies_.width,
                                     .interleaved = interleaved_}};
  }

  int64_t variant(int64_t length) const override { return frequencies_.variant(length); }

 private:
  RotaryFrequencies frequencies_;
  bool interleaved_;
  PositionTable table_;
};

std::unique_ptr<Scheme> make(const Geometry& geometry, const Options& options, const Scope&,
                             const InitRandom&) {
  return std::make_unique<Rotary>(read_frequencies(geometry, options),
                                  options.choice("pairs") == "interleaved");
}

using Kind = OptionSpec::Kind;

constexpr OptionSpec kOptions[] = {
    {.name = "pairs",
     .kind = Kind::choice,
     .preset = "halves",
     .help = "components rotated as a pair: n and n + d/2 (halves: Llama, NeoX), or 2n and 2n + 1 "
             "(interleaved: GPT-J, the paper)",
     .choices = "halves|interleaved"},
    {.name = "width",
     .kind = Kind::integer,
     .preset = "0",
     .help = "number of components of each head that are rotated; 0: all",
     .least = 0},
    {.name = "base",
     .preset = "10000",
     .help = "base of the frequencies (rope_theta); Llama 3 uses 500000",
     .least = 1},
    {.name = "scaling",
     .kind = Kind::choice,
     .preset = "none",
     .help = "method that extends the context window past the trained length",
     .choices = "none|linear|dynamic|ntk|yarn|longrope|llama3"},
    {.name = "factor",
     .preset = "0",
     .help = "ratio of the new to the trained length; 0: max_length of the model / original_length",
     .least = 0},
    {.name = "original_length",
     .kind = Kind::integer,
     .preset = "0",
     .help = "trained length; 0: max_length of the model",
     .least = 0},
    {.name = "attention_factor",
     .preset = "0",
     .help = "yarn, longrope: factor on cosines and sines; 0: the rule of the paper",
     .least = 0},
    {.name = "beta_fast",
     .preset = "32",
     .help = "yarn: pairs that turn more often than this within the trained length are not scaled",
     .least = 1e-6},
    {.name = "beta_slow",
     .preset = "1",
     .help =
         "yarn: pairs that turn less often than this within the trained length are scaled by the full factor",
     .least = 1e-6},
    {.name = "truncate",
     .kind = Kind::boolean,
     .preset = "true",
     .help = "yarn: round the ends of the ramp to whole pairs"},
    {.name = "mscale",
     .preset = "0",
     .help = "yarn: numerator of the attention factor, used together with mscale_all_dim; 0: not used",
     .least = 0},
    {.name = "mscale_all_dim",
     .preset = "0",
     .help = "yarn: denominator of the attention factor, used together with mscale; 0: not used",
     .least = 0},
    {.name = "low_freq_factor",
     .preset = "1",
     .help = "llama3: wavelengths above original_length / low_freq_factor are scaled by the full factor",
     .least = 1e-6},
    {.name = "high_freq_factor",
     .preset = "4",
     .help = "llama3: wavelengths below original_length / high_freq_factor are not scaled",
     .least = 1e-6},
    {.name = "short_factor",
     .kind = Kind::numbers,
     .help = "longrope: divisors of the frequencies within the trained length, one per pair, comma-separated",
     .least = 1e-6},
    {.name = "long_factor",
     .kind = Kind::numbers,
     .help = "longrope: divisors of the frequencies past the trained length, one per pair, comma-separated",
     .least = 1e-6},
    {.name = "precision",
     .kind = Kind::choice,
     .preset = "precise",
     .help = "rounding of the tables: precise (computed in double, rounded once), or hf (as in the float32 "
             "code of transformers)",
     .choices = "precise|hf"},
};

using Given = std::pair<std::string_view, std::string_view>;
constexpr Given kNtk[] = {{"scaling", "ntk"}, {"factor", "{factor}"}};
constexpr Given kYarn[] = {{"scaling", "yarn"}, {"factor", "{factor}"}};
constexpr Extension kExtensions[] = {{"ntk", kNtk}, {"yarn", kYarn}};

}  // namespace

extern const SchemeInfo kRotary = {
    .name = "rotary",
    .summary = "rotates pairs of query and key components by an angle proportional to the position",
    .aliases = "RoPE, rotary embeddings",
    .formula =
        "(a, b) = (x[n], x[n + d/2]), t = p base^(-2n/d)\n(a, b) -> (a cos t - b sin t, a sin t + b cos t)",
    .paper = "Su et al. 2021, arXiv 2104.09864",
    .models = "Llama, Mistral, Qwen, Gemma, Phi, GPT-NeoX and Pythia, GPT-J",
    .cost =
        "no parameters; one more pass over queries and keys in every layer; the tables are computed once, "
        "but with scaling dynamic in every forward pass for sequences past the trained length",
    .acts_on = ActsOn::rotation,
    .relative = true,
    .extrapolates = true,
    .options = kOptions,
    .extensions = kExtensions,
    .make = make,
};

}  // namespace locus
