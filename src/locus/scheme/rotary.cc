// Rotary: queries and keys are turned, pair by pair, by angles proportional to their position, so that a
// product of the two depends on their distance alone.
//   (q, k)[p] = rotate(cos(p frequency[n]) * a, sin(p frequency[n]) * a), n = 0 .. d/2 - 1
// with the frequencies and the attention factor a of rotary_frequencies.h. Pair n is (x[n], x[n + d/2]), or
// (x[2n], x[2n+1]) when interleaved; a width d below the head's leaves the rest as it is.
//
// Precision `precise` computes in double and rounds cosine and sine once. `hf` rounds where transformers'
// float32 code does: f32 frequencies, their f32 product with the position, cosine and sine of that f32 angle,
// times an f32 attention factor. The angles have its bits; its cosines and sines are torch's vector
// functions, up to 2 ulp from the correctly rounded ones here and not the same on every machine.
//
// A dynamic scaling (dynamic, longrope) takes the length of each sequence by itself: its last position + 1.
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
    return {.rotation = RotationTerm{.cos = found.parts[0],
                                     .sin = found.parts[1],
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
     .help = "which elements turn together: n and n + d/2 (Llama, NeoX), or 2n and 2n + 1 (GPT-J, the paper)",
     .choices = "halves|interleaved"},
    {.name = "width",
     .kind = Kind::integer,
     .preset = "0",
     .help = "how many elements of each head turn; 0: all",
     .least = 0},
    {.name = "base", .preset = "10000", .help = "of the wavelengths; Llama 3 has 500000", .least = 1},
    {.name = "scaling",
     .kind = Kind::choice,
     .preset = "none",
     .help = "how positions past the trained length are brought within it",
     .choices = "none|linear|dynamic|ntk|yarn|longrope|llama3"},
    {.name = "factor",
     .preset = "0",
     .help = "how many times the trained length; 0: the model's max_length / original_length",
     .least = 0},
    {.name = "original_length",
     .kind = Kind::integer,
     .preset = "0",
     .help = "the trained length; 0: the model's max_length",
     .least = 0},
    {.name = "attention_factor",
     .preset = "0",
     .help = "yarn, longrope: on cosines and sines; 0: by their papers' rule",
     .least = 0},
    {.name = "beta_fast",
     .preset = "32",
     .help = "yarn: pairs that turn more often within the trained length stay as they are",
     .least = 1e-6},
    {.name = "beta_slow",
     .preset = "1",
     .help = "yarn: pairs that turn less often are stretched by the whole factor",
     .least = 1e-6},
    {.name = "truncate",
     .kind = Kind::boolean,
     .preset = "true",
     .help = "yarn: the ramp begins and ends at whole pairs"},
    {.name = "mscale",
     .preset = "0",
     .help = "yarn: with mscale_all_dim, of the attention factor",
     .least = 0},
    {.name = "mscale_all_dim", .preset = "0", .help = "yarn: see mscale", .least = 0},
    {.name = "low_freq_factor",
     .preset = "1",
     .help = "llama3: wavelengths above original_length / this are stretched by the whole factor",
     .least = 1e-6},
    {.name = "high_freq_factor",
     .preset = "4",
     .help = "llama3: wavelengths below original_length / this stay as they are",
     .least = 1e-6},
    {.name = "short_factor",
     .kind = Kind::numbers,
     .help = "longrope: a divisor for each pair, within the trained length",
     .least = 1e-6},
    {.name = "long_factor",
     .kind = Kind::numbers,
     .help = "longrope: a divisor for each pair, past the trained length",
     .least = 1e-6},
    {.name = "precision",
     .kind = Kind::choice,
     .preset = "precise",
     .help =
         "tables computed in double and rounded once, or with the roundings of transformers' float32 code",
     .choices = "precise|hf"},
};

using Given = std::pair<std::string_view, std::string_view>;
constexpr Given kNtk[] = {{"scaling", "ntk"}, {"factor", "{factor}"}};
constexpr Given kYarn[] = {{"scaling", "yarn"}, {"factor", "{factor}"}};
constexpr Extension kExtensions[] = {{"ntk", kNtk}, {"yarn", kYarn}};

}  // namespace

extern const SchemeInfo kRotary = {
    .name = "rotary",
    .summary = "queries and keys turned by angles proportional to their position",
    .formula =
        "(a, b) = (x[n], x[n + d/2]), t = p base^(-2n/d)\n(a, b) -> (a cos t - b sin t, a sin t + b cos t)",
    .paper = "Su et al. 2021, arXiv 2104.09864",
    .models = "Llama, Mistral, Qwen, Gemma, Phi, GPT-NeoX and Pythia, GPT-J",
    .cost =
        "no parameters; queries and keys read and written once more in every layer; tables computed once, "
        "but anew in every pass for sequences past the trained length with scaling dynamic",
    .acts_on = ActsOn::rotation,
    .relative = true,
    .extrapolates = true,
    .options = kOptions,
    .extensions = kExtensions,
    .make = make,
};

}  // namespace locus
