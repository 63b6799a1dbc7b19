// A learned vector for every position, added to the token embedding or joined (concatenated).
//   x[p] += table[p]         table [max_length, C]
//   x[p]  = [x[p] ; table[p]]   table [max_length, own width]
// A position past the end of the table is an error, because no vector was learned for it. Option stretched
// interpolates the R learned rows linearly to S rows:
//   row p of S = table at p (R - 1) / (S - 1), interpolated between the two nearest rows
// Gehring et al. 2017, arXiv 1705.03122; initialized as in BERT (Devlin et al. 2018, arXiv 1810.04805):
// normal with standard deviation 0.02.
#include <algorithm>

#include "locus/op/matmul.h"
#include "locus/scheme/input_rows.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

class Learned final : public Scheme {
 public:
  Learned(Var table, bool joined, Tensor mix)
      : table_(std::move(table)), joined_(joined), mix_(std::move(mix)) {}

  Terms terms(const Placement& placement) const override {
    check(placement);
    const Var table = mix_ ? op::matmul(Var(mix_), table_) : table_;
    return {.input = InputTerm{table, placement.sequences().query_positions, joined_}};
  }
  int64_t joined_width() const override { return joined_ ? table_.shape()[1] : 0; }

 private:
  void check(const Placement& placement) const {
    const int64_t rows = mix_ ? mix_.size(0) : table_.shape()[0];
    const auto starts = placement.sequences().query_starts.data<int32_t>();
    const auto positions = placement.sequences().query_positions.data<int32_t>();
    for (size_t b = 0; b + 1 < starts.size(); ++b) {
      for (int32_t n = starts[b]; n < starts[b + 1]; ++n) {
        if (positions[n] < rows) continue;
        fail({Fault::data, Code::bad_position,
              "shorten the text, or make the scheme with a larger option rows"},
             "scheme learned: token {} of sequence {} has position {}, past the end of the table, which has "
             "{} rows",
             n - starts[b], b, positions[n], rows);
      }
    }
  }

  Var table_;
  bool joined_;
  Tensor mix_;  // interpolation weights [stretched rows, rows]; absent: the table is not stretched
};

Tensor mix_rows(int64_t stretched, int64_t rows) {
  const Tensor mix = Tensor::zeros({stretched, rows});
  const auto weights = mix.data<float>();
  for (int64_t p = 0; p < stretched; ++p) {
    const double point =
        static_cast<double>(p * (rows - 1)) / static_cast<double>(std::max<int64_t>(stretched - 1, 1));
    const auto below = std::min(static_cast<int64_t>(point), std::max<int64_t>(rows - 2, 0));
    const double part = point - static_cast<double>(below);
    weights[p * rows + below] = static_cast<float>(1 - part);
    if (part > 0) weights[p * rows + below + 1] = static_cast<float>(part);
  }
  return mix;
}

std::unique_ptr<Scheme> make(const Geometry& geometry, const Options& options, const Scope& scope,
                             const InitRandom& random) {
  const int64_t rows = options.integer("rows") > 0 ? options.integer("rows") : geometry.max_length;
  if (rows <= 0) {
    fail(Fault::usage,
         "scheme learned: the length of the table is unknown, expected option rows or max_length of the "
         "model");
  }
  const auto [joined, width] = read_input_rows("learned", geometry, options);
  Tensor table = Tensor::empty({rows, width});
  const auto init_std = static_cast<float>(options.number("std"));
  uint64_t index = 0;
  if (random) {
    for (float& value : table.data<float>()) value = init_std * random->normal(index++);
  }
  const int64_t stretched = options.integer("stretched");
  if (stretched != 0 && stretched < rows) {
    fail(Fault::usage,
         "scheme learned: option stretched is {}, expected 0 or at least the {} rows of the table", stretched,
         rows);
  }
  const Tensor mix = stretched > rows ? scope.constant(mix_rows(stretched, rows)) : Tensor();
  return std::make_unique<Learned>(scope.add("table", table), joined, mix);
}

constexpr OptionSpec kOptions[] = {
    {.name = "rows",
     .kind = OptionSpec::Kind::integer,
     .preset = "0",
     .help = "number of positions in the table; 0: max_length of the model",
     .least = 0},
    kCombineOption,
    kWidthOption,
    {.name = "stretched",
     .kind = OptionSpec::Kind::integer,
     .preset = "0",
     .help = "number of positions after linear interpolation of the table; 0: no interpolation",
     .least = 0,
     .most = 1 << 24},
    {.name = "std",
     .kind = OptionSpec::Kind::number,
     .preset = "0.02",
     .help = "standard deviation of the initial values (init std)",
     .least = 0},
};

constexpr std::pair<std::string_view, std::string_view> kInterpolated[] = {{"stretched", "{length}"}};
constexpr Extension kExtensions[] = {{"interpolated", kInterpolated}};

}  // namespace

extern const SchemeInfo kLearned = {
    .name = "learned",
    .summary = "adds a learned vector per position to the token embedding, or concatenates it",
    .aliases = "absolute, learned absolute, wpe",
    .formula = "x[p] += table[p]\nx[p] = [x[p] ; table[p]]   (joined)",
    .paper = "Gehring et al. 2017, arXiv 1705.03122",
    .models = "BERT, RoBERTa, MPNet, DistilBERT, GPT-2, GPT-Neo, OPT, BART",
    .cost = "max_length x C parameters; one more embedding row read per token and forward pass",
    .acts_on = ActsOn::input,
    .options = kOptions,
    .extensions = kExtensions,
    .make = make,
};

}  // namespace locus
