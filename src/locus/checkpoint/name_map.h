// Maps the tensors of a checkpoint to the parameters of a model, with the order of rows and columns. One list
// serves to load, to save, and to report gradients under the names of the checkpoint.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "locus/autograd/parameters.h"

namespace locus {

// How a tensor of the checkpoint is laid out, compared to a Locus matrix [out, in] or bias [out].
struct Layout {
  bool transposed = false;  // [in, out]
  bool one_row = false;     // a bias as [1, out]
  // Above 0: the queries of each group of heads are followed by its key and its value, with rows
  // [groups, queries + 2, D]. 0: all queries, then all keys, then all values.
  int64_t groups = 0, queries = 1;
};

// A tensor of the checkpoint and the parameters in it: one, or several whose rows are stacked.
struct Binding {
  std::string tensor;
  Owner owner;  // of all its parameters
  std::vector<Var> parameters;
  Layout layout;
  std::vector<std::string> aliases;  // alternative names; a tied table may be stored under several of them
  std::string tied;          // the alias that is the name of the head, if the head is tied to this table
  bool constant = false;     // a buffer, not a parameter, in transformers: it gets no gradient
  bool random_init = false;  // part of a new head, randomly initialized, not in any file
  bool lazy = false;         // rows are loaded from the file on first use

  Shape shape() const;  // of the tensor
  // The index of a tensor row among the rows of the parameters, for layouts that are not transposed.
  int64_t row(int64_t tensor_row) const;
  int64_t rows() const;     // of all parameters together
  int64_t columns() const;  // of each parameter
  bool is_plain() const { return parameters.size() == 1 && !layout.transposed && layout.groups == 0; }
  // Values or gradients of the parameters in the layout of the checkpoint.
  Tensor assemble(std::span<const Tensor> values) const;
};

using NamePair = std::pair<std::string_view, std::string_view>;  // Locus name, checkpoint name

// The prefix of a layer's names: "encoder.layers.3."
inline std::string numbered(std::string_view branch, int64_t layer) {
  return fmt::format("{}.{}.", branch, layer);
}

// Families name every parameter that their models may have; names without a parameter in this model are
// ignored.
class NameMap {
 public:
  explicit NameMap(const Parameters& parameters) : parameters_(parameters) {}

  Binding* tensor(std::string_view ours, std::string_view theirs, const Layout& layout = {});
  // The weight and the bias of a module.
  void module(std::string_view ours, std::string_view theirs, const Layout& layout = {});
  void modules(std::string_view ours, std::string_view theirs, std::span<const NamePair> names,
               const Layout& layout = {});
  // The modules of every layer: "decoder.layers.3.attention.out" and "transformer.h.3.attn.out_proj".
  void layers(std::string_view ours, std::string_view theirs, int64_t count, std::span<const NamePair> names,
              const Layout& layout = {});
  // The token embeddings and the weight of the head, which are one tensor if tied.
  void tokens(std::string_view theirs, std::string_view head, bool tied);
  // One tensor for several parameters.
  void joined(const std::vector<std::string>& ours, std::string_view theirs, const Layout& layout = {});
  // One module of the checkpoint for several modules of Locus, with stacked rows.
  void stacked(const std::vector<std::string>& ours, std::string_view theirs, const Layout& layout = {});
  // A module with one matrix for queries, keys and values, which are one or three parameters in Locus.
  void qkv(std::string_view ours, std::string_view theirs, const Layout& layout = {});
  // Another name for the same tensor.
  void alias(std::string_view theirs, std::string_view other);

  std::vector<Binding> take();  // throws Fault::bug unless every parameter is named exactly once

 private:
  const Parameters& parameters_;
  std::vector<Binding> bindings_;
  std::vector<std::string> bound_;
};

}  // namespace locus
