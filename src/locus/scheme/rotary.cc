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
#include "locus/scheme/rotary.h"

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

class RotaryScheme final : public Scheme {
 public:
  RotaryScheme(const Geometry& geometry, const Rotary& options, const Scope& scope, const InitRandom&)
      : frequencies_(frequencies_of(geometry, options)),
        interleaved_(options.pairs == RotaryPairs::interleaved),
        table_(
            2, frequencies_.width / 2, [f = frequencies_](int64_t variant) { return row_of(f, variant); },
            scope.device()) {}

  SchemePass begin(const Placement& placement) const override {
    std::vector<int64_t> variants;
    for (int64_t b = 0; b < placement.count(); ++b) {
      variants.push_back(frequencies_.variant(placement.last_position(b) + 1));
    }
    const PositionTable::Found found = table_.find(placement, variants);
    return RotationTerm{.cos = found.tables[0],
                        .sin = found.tables[1],
                        .query_rows = found.query_rows,
                        .key_rows = found.key_rows,
                        .width = frequencies_.width,
                        .interleaved = interleaved_};
  }

  int64_t variant(int64_t length) const override { return frequencies_.variant(length); }

 private:
  RotaryFrequencies frequencies_;
  bool interleaved_;
  PositionTable table_;
};

using Given = std::pair<std::string_view, std::string_view>;
constexpr Given kNtk[] = {{"scaling", "ntk"}, {"factor", "{factor}"}};
constexpr Given kYarn[] = {{"scaling", "yarn"}, {"factor", "{factor}"}};
constexpr Extension kRotaryExtensions[] = {{"ntk", kNtk}, {"yarn", kYarn}};

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
    .options = option_specs<Rotary>,
    .extensions = kRotaryExtensions,
    .make = make_typed<RotaryScheme, Rotary>,
};

}  // namespace locus
