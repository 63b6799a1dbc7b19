// A learned row for every position, added to the token's embedding or joined on behind it.
//   x[p] += table[p]         table [max_length, C]
//   x[p]  = [x[p] ; table[p]]   table [max_length, own width]
// A position past the table is an error: nothing was learned for it.
// Gehring et al. 2017, arXiv 1705.03122; initialised as BERT (Devlin et al. 2018, arXiv 1810.04805): normal
// with standard deviation 0.02.
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

class Learned final : public Scheme {
 public:
  Learned(Var table, bool joined) : table_(std::move(table)), joined_(joined) {}

  Terms terms(const Placement& placement) const override {
    check(placement);
    return {.input = InputTerm{table_, placement.sequences().query_positions, joined_}};
  }
  int64_t joined_width() const override { return joined_ ? table_.shape()[1] : 0; }

 private:
  void check(const Placement& placement) const {
    const int64_t rows = table_.shape()[0];
    const auto starts = placement.sequences().query_starts.data<int32_t>();
    const auto positions = placement.sequences().query_positions.data<int32_t>();
    for (size_t b = 0; b + 1 < starts.size(); ++b) {
      for (int32_t n = starts[b]; n < starts[b + 1]; ++n) {
        require(positions[n] < rows,
                "learned: token {} of sequence {} has position {}, past the table, which has {} rows; "
                "shorten the "
                "text, or make the scheme with a larger option rows",
                n - starts[b], b, positions[n], rows);
      }
    }
  }

  Var table_;
  bool joined_;
};

std::unique_ptr<Scheme> make(const Geometry& geometry, const Options& options, const Scope& scope,
                             const Random& random) {
  const int64_t rows = options.integer("rows") > 0 ? options.integer("rows") : geometry.max_length;
  require(rows > 0, "learned: no table length; give option rows, or the model's max_length");
  const bool joined = options.choice("combine") == "joined";
  require(
      joined || options.integer("width") == 0,
      "learned: option width is {}, but rows that are added have the model's width; set combine to joined",
      options.integer("width"));
  const int64_t width = options.integer("width") > 0 ? options.integer("width") : geometry.width;
  Tensor table = Tensor::empty({rows, width});
  const auto deviation = static_cast<float>(options.number("std"));
  uint64_t index = 0;
  for (float& value : table.data<float>()) value = deviation * random.normal(index++);
  return std::make_unique<Learned>(scope.add("table", table), joined);
}

constexpr OptionSpec kOptions[] = {
    {.name = "rows",
     .kind = OptionSpec::Kind::integer,
     .preset = "0",
     .help = "positions in the table; 0: the model's max_length",
     .least = 0},
    {.name = "combine",
     .kind = OptionSpec::Kind::choice,
     .preset = "added",
     .help = "added to the token's embedding, or joined on behind it",
     .choices = "added|joined"},
    {.name = "width",
     .kind = OptionSpec::Kind::integer,
     .preset = "0",
     .help = "of a joined row; 0: the model's width",
     .least = 0},
    {.name = "std",
     .kind = OptionSpec::Kind::number,
     .preset = "0.02",
     .help = "standard deviation of the normal the table starts from",
     .least = 0},
};

}  // namespace

extern const SchemeInfo kLearned = {
    .name = "learned",
    .summary = "a learned row for every position, added to the embedding or joined on",
    .formula = "x[p] += table[p]\nx[p] = [x[p] ; table[p]]   (joined)",
    .paper = "Gehring et al. 2017, arXiv 1705.03122",
    .models = "BERT, RoBERTa, DistilBERT, GPT-2, OPT, BART",
    .cost = "max_length x C parameters; one more row to read a token, once a pass",
    .options = kOptions,
    .make = make,
};

}  // namespace locus
