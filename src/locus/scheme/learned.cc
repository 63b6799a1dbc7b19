// A learned vector for every position, added to the token embedding or joined (concatenated).
//   x[p] += table[p]         table [max_length, C]
//   x[p]  = [x[p] ; table[p]]   table [max_length, own width]
// A position past the end of the table is an error, because no vector was learned for it. Option stretched
// interpolates the R learned rows linearly to S rows:
//   row p of S = table at p (R - 1) / (S - 1), interpolated between the two nearest rows
// Gehring et al. 2017, arXiv 1705.03122; initialized as in BERT (Devlin et al. 2018, arXiv 1810.04805):
// normal with standard deviation 0.02.
#include "locus/scheme/learned.h"

#include <algorithm>

#include "locus/op/elementwise.h"
#include "locus/op/gather.h"
#include "locus/scheme/cached_tables.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

// Linear interpolation between neighboring rows of a table.
struct Interpolation {
  Indices below, above;               // [S]: the two rows
  Tensor below_weight, above_weight;  // [S, C]: the same weight in every column

  Interpolation(int64_t stretched, Shape table, const Scope& scope) {
    const int64_t rows = table[0], width = table[1];
    std::vector<int32_t> lower, upper;
    const Tensor first = Tensor::empty({stretched, width}), second = Tensor::empty({stretched, width});
    for (int64_t p = 0; p < stretched; ++p) {
      const double point =
          static_cast<double>(p * (rows - 1)) / static_cast<double>(std::max<int64_t>(stretched - 1, 1));
      const auto row = std::min(static_cast<int64_t>(point), std::max<int64_t>(rows - 2, 0));
      const double part = point - static_cast<double>(row);
      lower.push_back(static_cast<int32_t>(row));
      upper.push_back(static_cast<int32_t>(std::min(row + 1, rows - 1)));
      std::ranges::fill(first.data<float>().subspan(p * width, width), static_cast<float>(1 - part));
      std::ranges::fill(second.data<float>().subspan(p * width, width), static_cast<float>(part));
    }
    below = Indices::of(lower), above = Indices::of(upper);
    below_weight = scope.constant(first), above_weight = scope.constant(second);
  }

  Var of(const Var& table) const {
    return op::add(op::multiply(op::gather(table, below), Var(below_weight)),
                   op::multiply(op::gather(table, above), Var(above_weight)));
  }
};

class LearnedScheme final : public Scheme {
 public:
  LearnedScheme(const Geometry& geometry, const Learned& options, const Scope& scope,
                const InitRandom& random)
      : joined_(options.input.joined()) {
    const int64_t rows = options.rows > 0 ? options.rows : geometry.max_length;
    if (rows <= 0) {
      fail(Fault::usage,
           "scheme learned: the length of the table is unknown, expected option rows or max_length of the "
           "model");
    }
    const int64_t width = options.input.width_in(geometry, "learned");
    if (options.stretched != 0 && options.stretched < rows) {
      fail(Fault::usage,
           "scheme learned: option stretched is {}, expected 0 or at least the {} rows of the table",
           options.stretched, rows);
    }
    Tensor table = Tensor::empty({rows, width});
    uint64_t index = 0;
    if (random) {
      for (float& value : table.data<float>()) {
        value = static_cast<float>(options.std) * random->normal(index++);
      }
    }
    if (options.stretched > rows) stretched_.emplace(options.stretched, table.shape(), scope);
    table_ = scope.add("table", table, Role::table);
  }

  SchemePass begin(const Placement& placement) const override {
    check(placement);
    return InputTerm{stretched_ ? stretched() : table_, placement.sequences().query_positions, joined_};
  }
  int64_t joined_width() const override { return joined_ ? table_.shape()[1] : 0; }

 private:
  // The interpolated table; computed once if it is frozen.
  Var stretched() const {
    const int64_t rows = stretched_->below.numel();
    return cache_
        .rows(0, rows - 1, !table_.wants_grad(), [&](int64_t, int64_t) { return stretched_->of(table_); })
        .table;
  }
  void check(const Placement& placement) const {
    const int64_t rows = stretched_ ? stretched_->below.numel() : table_.shape()[0];
    const auto starts = placement.sequences().query_starts.values();
    const auto positions = placement.sequences().query_positions.values();
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
  std::optional<Interpolation> stretched_;
  mutable CachedTables cache_;
};

constexpr std::pair<std::string_view, std::string_view> kInterpolated[] = {{"stretched", "{length}"}};
constexpr Extension kLearnedExtensions[] = {{"interpolated", kInterpolated}};

}  // namespace

extern const SchemeInfo kLearned = {
    .name = "learned",
    .summary = "adds a learned vector per position to the token embedding, or concatenates it",
    .aliases = "absolute, learned absolute, learned positional embedding, wpe",
    .formula = "x[p] += table[p]\nx[p] = [x[p] ; table[p]]   (joined)",
    .paper = "Gehring et al. 2017, arXiv 1705.03122",
    .models = "BERT, RoBERTa, MPNet, DistilBERT, GPT-2, GPT-Neo, OPT, BART",
    .cost = "max_length x C parameters; one more embedding row read per token and forward pass",
    .acts_on = ActsOn::input,
    .options = option_specs<Learned>,
    .extensions = kLearnedExtensions,
    .make = make_typed<LearnedScheme, Learned>,
};

}  // namespace locus
