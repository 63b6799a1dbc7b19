// Which tensor of a checkpoint holds which parameters of a model, and in what order of rows and columns. One
// list serves to load, to save, and to say gradients in the checkpoint's own names.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "locus/autograd/parameters.h"

namespace locus {

// How a checkpoint's tensor differs from Locus's matrix [out, in] (or bias [out]).
struct Layout {
  bool transposed = false;  // [in, out]
  bool one_row = false;     // a bias as [1, out]
  // Above 0: the queries of a group of heads stand together with its key and its value, rows
  // [groups, queries + 2, D]. Else all queries, all keys, all values.
  int64_t groups = 0, queries = 1;
};

// A tensor of the checkpoint and the parameters in it: one, or several whose rows are one below the other.
struct Binding {
  std::string tensor;
  std::string ours;  // Locus's name of the first of them
  std::vector<Var> parameters;
  Layout layout;
  std::vector<std::string> aliases;  // other names for it: a tied table may be stored under any or all
  std::string tied;       // of these names, the head's own, where the head is said to be tied to it
  bool constant = false;  // no parameter of the family's: it gets no gradient
  bool drawn = false;     // of a new head: no file has it
  bool late = false;      // its rows stay in the file until a text has them

  Shape shape() const;  // of the tensor
  // Where a row of the tensor stands among the parameters' rows; of a layout that is not transposed.
  int64_t row(int64_t tensor_row) const;
  int64_t rows() const;     // of the parameters together
  int64_t columns() const;  // of each
  bool as_it_is() const { return parameters.size() == 1 && !layout.transposed && layout.groups == 0; }
  // Values of the parameters, or their gradients, as the checkpoint has them.
  Tensor assemble(std::span<const Tensor> values) const;
};

using NamePair = std::pair<std::string_view, std::string_view>;  // Locus's name, the checkpoint's

// The number of a layer in its names: "encoder.layers.3."
inline std::string numbered(std::string_view branch, int64_t layer) {
  return fmt::format("{}.{}.", branch, layer);
}

// Families name everything their models may have; what this model does not have is passed over.
class NameMap {
 public:
  explicit NameMap(const Parameters& parameters) : parameters_(parameters) {}

  Binding* tensor(std::string_view ours, std::string_view theirs, const Layout& layout = {});
  // A module: its weight and its bias.
  void module(std::string_view ours, std::string_view theirs, const Layout& layout = {});
  void modules(std::string_view ours, std::string_view theirs, std::span<const NamePair> names,
               const Layout& layout = {});
  // The modules of every layer: "decoder.layers.3.attention.out" and "transformer.h.3.attn.out_proj".
  void layers(std::string_view ours, std::string_view theirs, int64_t count, std::span<const NamePair> names,
              const Layout& layout = {});
  // The table of tokens, and the head's, which is the same one where it is tied.
  void tokens(std::string_view theirs, std::string_view head, bool tied);
  // One tensor for several parameters.
  void joined(const std::vector<std::string>& ours, std::string_view theirs, const Layout& layout = {});
  // One module for several, their rows one below the other.
  void stacked(const std::vector<std::string>& ours, std::string_view theirs, const Layout& layout = {});
  // A module with one matrix for queries, keys and values, which a model may have as one or as three.
  void qkv(std::string_view ours, std::string_view theirs, const Layout& layout = {});
  // Another name for the same tensor.
  void alias(std::string_view theirs, std::string_view other);

  std::vector<Binding> take();  // every parameter is in it, or it is a bug

 private:
  const Parameters& parameters_;
  std::vector<Binding> bindings_;
  std::vector<std::string> bound_;
};

}  // namespace locus
