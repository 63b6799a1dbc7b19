// A position scheme is data: it turns a placement and its own parameters into terms (op/terms.h). Nothing
// below this folder knows any scheme's name, and adding one is one file here and one line in registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "locus/autograd/parameters.h"
#include "locus/base/options.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/placement.h"

namespace locus {

// The model a scheme is made for.
struct Geometry {
  int64_t width = 0;      // C
  int64_t row_width = 0;  // of what is added to token rows; 0: C
  int64_t heads = 0;      // H
  int64_t head_size = 0;  // D
  int64_t layers = 1;
  int64_t max_length = 0;  // rows of a learned table, the trained length of a scaling
  bool causal = false;
};

// What a layer offers a scheme that projects with the layer's own weights.
struct LayerView {
  int64_t layer = 0;
  Var query_weight, query_bias;  // [H*D, C], [H*D] or absent
  Var key_weight, key_bias;
  bool frozen = false;  // none of them wants a gradient: what is made of them alone may be kept
};

class Scheme {
 public:
  virtual ~Scheme() = default;
  // Once per forward pass, shared by all layers.
  virtual Terms terms(const Placement& placement) const = 0;
  // How much of the model's width an input term that is joined on takes from the token rows.
  virtual int64_t joined_width() const { return 0; }
  // Which of its tables a text of so many tokens has, where that changes with the length.
  virtual int64_t variant(int64_t) const { return 0; }
  // Once per layer, for the schemes whose score terms differ from layer to layer.
  virtual ScoreTerms layer_scores(const Terms& terms, const LayerView&) const { return terms.scores; }
};

// Options that carry trained parameters past the trained length. In their values {length} stands for the
// length wanted, {factor} for how many times the trained one that is.
struct Extension {
  std::string_view name;
  std::span<const std::pair<std::string_view, std::string_view>> options;
};
OptionValues extended(const Extension& extension, int64_t trained, int64_t wanted);

// How an option depends on the trained length. The paper uses `value` for a model trained at `length` tokens;
// a model trained at fewer tokens gets the same proportion of its own length, at least `least`.
struct LengthRule {
  std::string_view option;
  double value = 0, length = 1, least = 1;
};

// The place where a scheme acts; two schemes at once act in two of them.
enum class ActsOn { nothing, input, rotation, score };
std::string_view name_of(ActsOn place);

struct SchemeInfo {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view formula;  // plain text, a line or a few
  std::string_view paper;    // authors, year, arXiv number
  std::string_view models;   // who uses it
  std::string_view cost;     // over no scheme at all, in words
  ActsOn acts_on = ActsOn::score;
  bool relative = false;      // scores do not change when all positions shift
  bool extrapolates = false;  // defined past the trained length
  std::span<const OptionSpec> options;
  std::span<const Extension> extensions = {};
  std::span<const LengthRule> length_rules = {};
  // Registers the scheme's parameters below `scope`, initialised as its paper says.
  std::unique_ptr<Scheme> (*make)(const Geometry&, const Options&, const Scope&, const InitRandom&) = nullptr;
  std::span<const SchemeInfo* const> parts = {};  // of a combination, which is made of theirs
};

// The options that the rules give a model trained at `length` tokens; empty if its defaults already fit.
OptionValues options_for_length(const SchemeInfo& info, int64_t length);

bool acts_on_input(const SchemeInfo& info);  // it, or one of its parts

// All schemes, in the order they are shown. An explicit list: self-registering statics vanish from static
// libraries.
std::span<const SchemeInfo* const> schemes();
// By its name, or of several at once by theirs, "learned+t5". Unknown: an error with the nearest known name.
const SchemeInfo& scheme_info(std::string_view name);

// A scheme by name. Options not given have the defaults of its list; an unknown one is refused with the
// nearest known.
std::unique_ptr<Scheme> make_scheme(std::string_view name, const Geometry& geometry,
                                    const OptionValues& values, const Scope& scope, const InitRandom& start);

}  // namespace locus
