// Looks at a scheme from outside: makes it for a small model, or takes the one a model has, places tokens
// where the caller wants them, and reads what its terms do to scores and inputs. It knows the terms and no
// scheme.
//
// The probe is one vector e for every query and every key, e . e / sqrt(D) = 1: without a scheme every score
// is 1, so whatever else is seen is the scheme's doing.
//   score(h, i, j) = scale rot(e)_i . rot(e)_j + by_distance[h, d] + scale rot(e)_i . by_query[h, slot(d)]
//                  + scale rot(e)_j . by_key[h, slot(d)] + dense[h, i, j]
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "locus/nn/model.h"

namespace locus::report {

class Probe {
 public:
  // Learned parameters have the values they start from, always the same ones.
  Probe(const SchemeInfo& info, const Geometry& geometry, const OptionValues& options);
  // The scheme of a model's encoder or decoder with the values it has there, or the one of its full layers,
  // where these have their own. The model outlives the probe.
  enum class Part { encoder, decoder };
  enum class Layers { most, full };
  Probe(const Model& model, Part part, Layers layers = Layers::most);

  const SchemeInfo& info() const { return info_; }
  const Geometry& geometry() const { return geometry_; }
  int64_t parameters() const { return parameters_; }
  bool of_model() const { return !made_; }
  // Where the scheme acts: input, rotation, score; none of them for a scheme that does nothing.
  std::vector<std::string_view> kinds() const;

  // What the scheme gives for tokens of one sequence that stand at these positions.
  struct Found {
    Sequences sequences;
    Terms terms;
    ScoreTerms scores;  // of the first layer that has the scheme
  };
  Found find(std::span<const int32_t> queries, std::span<const int32_t> keys) const;

  // [H, queries, keys], for tokens of one sequence that stand at these positions.
  std::vector<double> scores(std::span<const int32_t> queries, std::span<const int32_t> keys) const;
  // The rows added or joined to tokens at these positions, [positions, width]; empty without an input term.
  std::vector<double> input_rows(std::span<const int32_t> positions) const;

 private:
  const SchemeInfo& info_;
  Geometry geometry_;
  std::unique_ptr<Scheme> made_;  // nullptr: the scheme is a model's
  const Scheme* scheme_;
  int64_t parameters_ = 0;
  LayerView layer_;  // the first that has the scheme
};

}  // namespace locus::report
