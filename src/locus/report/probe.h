// Measures what a scheme does to scores and inputs. It makes the scheme for a small model, or takes that of
// an existing model, and reads the terms for tokens at chosen positions. It works for any scheme.
//
// All queries and keys are one vector e with e . e / sqrt(D) = 1. Without a scheme every score is 1, so all
// other values come from the scheme.
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
  // Learned parameters have their initial values, from a fixed seed.
  Probe(const SchemeInfo& info, const Geometry& geometry, const OptionValues& options);
  // The scheme of a model's encoder or decoder with its trained values, or that of its global-attention
  // layers if they have their own. The model must outlive the probe.
  enum class Part { encoder, decoder };
  enum class Layers { most, global };
  Probe(const Model& model, Part part, Layers layers = Layers::most);

  const SchemeInfo& info() const { return info_; }
  const Geometry& geometry() const { return geometry_; }
  int64_t parameters() const { return parameters_; }
  bool of_model() const { return !made_; }
  // Where the scheme acts: input, rotation, score; empty for a scheme that does nothing.
  std::vector<std::string_view> kinds() const;

  // The terms for tokens of one sequence at these positions.
  struct Found {
    Sequences sequences;
    SchemePass pass;
    ScoreTerms scores;  // of the first layer that has the scheme
  };
  Found find(std::span<const int32_t> queries, std::span<const int32_t> keys) const;

  // [H, queries, keys], for tokens of one sequence at these positions.
  std::vector<double> scores(std::span<const int32_t> queries, std::span<const int32_t> keys) const;
  // The rows added to or concatenated with tokens at these positions, [positions, width]; empty without an
  // input term.
  std::vector<double> input_rows(std::span<const int32_t> positions) const;

 private:
  const SchemeInfo& info_;
  Geometry geometry_;
  std::unique_ptr<Scheme> made_;  // nullptr: the scheme belongs to a model
  const Scheme* scheme_;
  int64_t parameters_ = 0;
  LayerView layer_;  // the first that has the scheme
};

}  // namespace locus::report
