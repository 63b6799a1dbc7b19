// A position scheme turns a placement and its own parameters into the terms (op/terms.h) of a forward pass.
// Nothing below this folder knows the name of any scheme. To add a scheme, add one file here and list it in
// registry.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/base/fields.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/placement.h"

namespace locus {

// The dimensions of the model that a scheme is made for.
struct Geometry {
  int64_t width = 0;      // C
  int64_t row_width = 0;  // width of the token embeddings, to which input terms are added; 0: C
  int64_t heads = 0;      // H
  int64_t head_size = 0;  // D
  int64_t layers = 1;
  int64_t max_length = 0;  // rows of a learned table, trained length of a scaling; 0: unknown
  bool causal = false;
};

// A layer's own weights, for schemes that project positions with them.
struct LayerView {
  int64_t layer = 0;
  Var query_weight, query_bias;  // [H*D, C], [H*D] or absent
  Var key_weight, key_bias;
  bool frozen = false;  // none of them requires a gradient: values derived from them may be cached
};

// The part of a layer, in a list with one part per layer that the scheme was made for.
template <class T>
const T& part_of(const std::vector<T>& layers, const LayerView& view) {
  require(view.layer >= 0 && view.layer < std::ssize(layers),
          "scheme: got layer {}, expected a layer below {}, the number that the scheme was made for",
          view.layer, layers.size());
  return layers[static_cast<size_t>(view.layer)];
}

// What a scheme adds in one forward pass, for the tokens of one placement. A pass may refer to the scheme
// that began it, which must outlive it.
class SchemePass {
 public:
  // The score terms of a layer. They are complete: the layer's own projections and tables are in them.
  using LayerScores = std::function<ScoreTerms(const LayerView&)>;

  SchemePass() = default;  // adds nothing
  SchemePass(InputTerm input) : input_(std::move(input)) {}
  SchemePass(RotationTerm rotation) : rotation_(std::move(rotation)) {}
  // The first one is for schemes with the same scores in every layer.
  SchemePass(ScoreTerms scores)
      : scores_([scores = std::move(scores)](const LayerView&) { return scores; }) {}
  SchemePass(LayerScores scores) : scores_(std::move(scores)) {}
  // Passes of schemes that act in different places, as one.
  static SchemePass combined(const SchemePass& input, const SchemePass& rotation, const SchemePass& scores);

  const std::optional<InputTerm>& input() const { return input_; }
  const std::optional<RotationTerm>& rotation() const { return rotation_; }
  ScoreTerms scores(const LayerView& layer) const { return scores_ ? scores_(layer) : ScoreTerms(); }

 private:
  std::optional<InputTerm> input_;
  std::optional<RotationTerm> rotation_;
  LayerScores scores_;
};

class Scheme {
 public:
  virtual ~Scheme() = default;
  // Begins a forward pass; all layers share the result.
  virtual SchemePass begin(const Placement& placement) const = 0;
  // Width of a joined (concatenated) input term; the token embeddings are narrower by this much.
  virtual int64_t joined_width() const { return 0; }
  // Identifies the tables used for a sequence of this length (its last position + 1), if they depend on the
  // length. Two lengths with the same variant share their tables.
  virtual int64_t variant(int64_t) const { return 0; }
};

// A context extension: options that make a trained scheme usable past its trained length. In their values,
// {length} is replaced by the new length and {factor} by the ratio of the new to the trained length.
struct Extension {
  std::string_view name;
  std::span<const std::pair<std::string_view, std::string_view>> options;
};
OptionValues extended(const Extension& extension, int64_t trained_length, int64_t new_length);

// How an option depends on the trained length. The paper uses `value` for a model trained at `length` tokens;
// a model trained at fewer tokens gets the same proportion of its own length, at least `least`.
struct LengthRule {
  std::string_view option;
  double value = 0, length = 1, least = 1;
};

// The place where a scheme acts. Schemes can be combined if they act in different places.
enum class ActsOn { nothing, input, rotation, score };
std::string_view name_of(ActsOn place);

// The options of a scheme: a list, or a function that returns one (option_specs() of base/fields.h).
class OptionList {
 public:
  using Lister = std::span<const OptionSpec> (*)();
  constexpr OptionList() = default;
  constexpr OptionList(std::span<const OptionSpec> specs) : specs_(specs) {}
  constexpr OptionList(Lister lister) : lister_(lister) {}

  std::span<const OptionSpec> list() const { return lister_ ? lister_() : specs_; }

 private:
  std::span<const OptionSpec> specs_;
  Lister lister_ = nullptr;
};

struct SchemeInfo {
  std::string_view name;
  std::string_view summary;       // one phrase
  std::string_view aliases = "";  // other names in papers and libraries, comma-separated; found in any case
  std::string_view formula;       // plain text, one or a few lines
  std::string_view paper;         // authors, year, arXiv number
  std::string_view models;        // well-known models that use it
  std::string_view cost;          // added cost compared to no scheme, in words
  ActsOn acts_on = ActsOn::score;
  bool relative = false;      // scores do not change if all positions shift by the same amount
  bool extrapolates = false;  // defined past the trained length
  OptionList options;
  std::span<const Extension> extensions = {};
  std::span<const LengthRule> length_rules = {};
  // Registers the scheme's parameters below `scope`, initialized as in its paper.
  std::unique_ptr<Scheme> (*make)(const Geometry&, const Options&, const Scope&, const InitRandom&) = nullptr;
  std::span<const SchemeInfo* const> parts = {};  // the schemes of a combination, which has no make
};

// The options that the rules give a model trained at `length` tokens; empty if its defaults already fit.
OptionValues options_for_length(const SchemeInfo& info, int64_t length);

bool acts_on_input(const SchemeInfo& info);  // the scheme itself, or a part of a combination

// All schemes, in display order: those of Locus, then those of the program. The list is explicit because
// linkers drop self-registering statics from static libraries.
std::span<const SchemeInfo* const> schemes();
// Adds a scheme of a program to schemes(). `info` must live as long as the program. Call it before anything
// else uses schemes: later it is an error, and so are a name or alias that another scheme has. Thread-safe.
void register_scheme(const SchemeInfo& info);
// Finds a scheme by its name or an alias, or a combination such as "learned+t5". The name of the result is
// never an alias. An unknown name is an error with code unknown_scheme; its hint names the likely schemes.
const SchemeInfo& scheme_info(std::string_view name);

// Makes a scheme by name. Options that are not given have their defaults; an unknown option is an error.
std::unique_ptr<Scheme> make_scheme(std::string_view name, const Geometry& geometry,
                                    const OptionValues& values, const Scope& scope, const InitRandom& random);

// The same with typed options, for example make_scheme(Rotary{.base = 5e5}, ...). Each scheme has its options
// in a header with its name, such as scheme/rotary.h.
template <class T>
requires requires { T::kScheme; }
std::unique_ptr<Scheme> make_scheme(const T& options, const Geometry& geometry, const Scope& scope,
                                    const InitRandom& random) {
  return make_scheme(T::kScheme, geometry, field_values(options), scope, random);
}

// SchemeInfo::make for a scheme with typed options: constructs S from the geometry, its options T, and the
// rest.
template <class S, class T>
std::unique_ptr<Scheme> make_typed(const Geometry& geometry, const Options& options, const Scope& scope,
                                   const InitRandom& random) {
  return std::make_unique<S>(geometry, read_options<T>(options), scope, random);
}

}  // namespace locus
