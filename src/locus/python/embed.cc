// embed_forward and embed_backward: the input-embedding kernels on memory of the caller, for locus.torch.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cmath>
#include <cstring>
#include <tuple>

#include "locus/kernel/kernels.h"
#include "locus/python/bindings.h"
#include "locus/python/caller_memory.h"
#include "locus/python/computing.h"
#include "locus/python/seed.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

// A table [rows, C] and the ids [N] of its rows.
using TableArgs = std::tuple<OptionalArray, OptionalArray>;
// gamma [C], beta [C], eps, rms, token_scale, dropout and its seed, i64 [2]
using OptionArgs = std::tuple<OptionalArray, OptionalArray, double, bool, double, double, OptionalArray>;

// The checked arguments of a call, and everything that the views in `args` refer to.
class Embedding {
 public:
  Embedding(const std::array<TableArgs, 3>& tables, const OptionArgs& options) {
    kernel::EmbedTable* const to[] = {&args.tokens, &args.positions, &args.segments};
    constexpr const char* kNames[] = {"tokens", "positions", "segments"};
    for (size_t t = 0; t < tables.size(); ++t) {
      set_table(kNames[t], tables[t], t == 1 ? Code::bad_position : Code::bad_token, ids_[t], *to[t]);
    }
    require(static_cast<bool>(args.tokens.table), Code::bad_shape, "embed_norm: tokens are missing");
    set_options(options);
  }
  Embedding(const Embedding&) = delete;
  Embedding& operator=(const Embedding&) = delete;

  void forward(const Output& out, const std::optional<Output>& mean, const std::optional<Output>& rstd) {
    memory.shaped(out, "out", {count(), width()});
    args.y = memory.output(out, "out");
    args.mean = statistic(mean, "mean"), args.rstd = statistic(rstd, "rstd");
    if (args.y.numel() > 0) kernels(memory.device()).embed(args);
  }

  // Gradients of tokens, positions, segments, gamma and beta; those that are not wanted are absent.
  using Gradients = std::array<std::optional<Output>, 5>;
  void backward(const Array& dy, const OptionalArray& mean, const OptionalArray& rstd,
                const Gradients& gradients) {
    memory.shaped(dy, "dy", {count(), width()});
    const ConstView given = memory.numbers(dy, "dy");
    args.mean = statistic(mean, "mean"), args.rstd = statistic(rstd, "rstd");
    require(!args.gamma || (args.rstd && (args.rms || args.mean)), Code::bad_shape,
            "embed_norm: the statistics of the forward pass are missing");
    std::array<View, 5> to;
    for (size_t n = 0; n < to.size(); ++n) to[n] = gradient(gradients[n], n);
    ConstView rows = given;
    Tensor dx;
    if ((args.gamma || args.dropout > 0) && given.numel() > 0) {
      dx = like({count(), width()});
      const Tensor workspace = like({kernels(memory.device()).embed_workspace(count()), width()});
      rows = dx.view();
      kernels(memory.device())
          .embed_backward({.forward = args,
                           .dy = given,
                           .dx = dx.view(),
                           .dgamma = to[3],
                           .dbeta = to[4],
                           .workspace = workspace.view()});
    } else {
      for (const View& view : {to[3], to[4]}) clear(view);
    }
    const kernel::EmbedTable* const tables[] = {&args.tokens, &args.positions, &args.segments};
    for (size_t t = 0; t < 3; ++t) {
      clear(to[t]);
      if (!to[t] || rows.numel() == 0) continue;
      kernels(memory.device())
          .scatter_add(
              {.rows = rows, .ids = tables[t]->ids, .table = to[t], .factor = t == 0 ? args.token_scale : 1});
    }
  }

 private:
  int64_t count() const { return std::ssize(ids_[0]); }
  int64_t width() const { return args.tokens.table.cols; }
  Tensor like(const Shape& shape) const { return Tensor::empty(shape, memory.dtype(), memory.device()); }

  void set_table(const char* name, const TableArgs& given, Code code, std::vector<int32_t>& ids,
                 kernel::EmbedTable& to) {
    const auto& [table, indices] = given;
    require(table.has_value() == indices.has_value(), Code::bad_shape,
            "embed_norm: {} or their ids are missing", name);
    if (!table) return;
    const ConstView view = memory.numbers(*table, name);
    require(table->ndim() == 2 && (!args.tokens.table || view.cols == width()), Code::bad_shape,
            "embed_norm: {} have shape {}, expected [rows, {}]", name, shape_of_array(*table, name),
            args.tokens.table ? width() : view.cols);
    ids = memory.integers(*indices, name);
    require(indices->ndim() == 1 && std::ssize(ids) == count(), Code::bad_shape,
            "embed_norm: the ids of {} have shape {}, expected [{}]", name, shape_of_array(*indices, name),
            count());
    memory.ids(ids, fmt::format("the ids of {}", name), view.rows, code);
    to = {view, id_view(ids)};
  }

  void set_options(const OptionArgs& options) {
    const auto& [gamma, beta, eps, rms, token_scale, dropout, seed] = options;
    if (gamma) {
      memory.shaped(*gamma, "gamma", {width()});
      require(width() > 0, Code::bad_shape,
              "embed_norm: rows have 0 columns, expected at least 1 for the norm");
    }
    if (beta) memory.shaped(*beta, "beta", {width()});
    require(gamma || (!beta && !rms), Code::bad_shape, "embed_norm: got beta or rms without gamma");
    require(!beta || !rms, Code::bad_shape, "embed_norm: got beta for RMS norm, which does not use it");
    require(std::isfinite(eps) && eps >= 0, "embed_norm: eps is {}, expected a finite number, 0 or more",
            eps);
    require(std::isfinite(token_scale), "embed_norm: token_scale is {}, expected a finite number",
            token_scale);
    args.gamma = memory.numbers(gamma, "gamma"), args.beta = memory.numbers(beta, "beta");
    args.eps = static_cast<float>(eps), args.rms = rms, args.token_scale = static_cast<float>(token_scale);
    args.dropout = dropout_of("embed_norm", dropout, seed, args.seed, args.stream);
  }

  View statistic(const std::optional<Output>& array, const char* name) {
    if (!array) return {};
    memory.shaped(*array, name, {count()});
    return memory.output(*array, name);
  }
  View statistic(const OptionalArray& array, const char* name) {
    if (!array) return {};
    memory.shaped(*array, name, {count()});
    const ConstView view = memory.numbers(*array, name);
    return {const_cast<std::byte*>(view.data), view.dtype, view.device, view.rows, view.cols, view.stride};
  }

  View gradient(const std::optional<Output>& to, size_t n) {
    if (!to) return {};
    const View view = memory.output(*to, "a gradient");
    const ConstView of[] = {args.tokens.table, args.positions.table, args.segments.table, args.gamma,
                            args.beta};
    require(of[n] && view.rows == of[n].rows && view.cols == of[n].cols && view.contiguous(), Code::bad_shape,
            "embed_norm: gradient {} has shape [{}, {}], expected [{}, {}], contiguous", n, view.rows,
            view.cols, of[n].rows, of[n].cols);
    return view;
  }
  static void clear(const View& view) {
    if (view) std::memset(view.data, 0, static_cast<size_t>(view.numel() * size_of(view.dtype)));
  }

  CallerMemory memory{"embed_norm"};
  std::array<std::vector<int32_t>, 3> ids_;
  kernel::EmbedArgs args;
};

void forward(const std::array<TableArgs, 3>& tables, const OptionArgs& options, const Output& out,
             const std::optional<Output>& mean, const std::optional<Output>& rstd) {
  Embedding(tables, options).forward(out, mean, rstd);
}

void backward(const Array& dy, const OptionalArray& mean, const OptionalArray& rstd,
              const std::array<TableArgs, 3>& tables, const OptionArgs& options,
              const Embedding::Gradients& gradients) {
  Embedding(tables, options).backward(dy, mean, rstd, gradients);
}

}  // namespace

void bind_embed(nb::module_& module) {
  using namespace nb::literals;
  module.def("embed_forward", forward, kCounted, "tables"_a, "options"_a, "out"_a, "mean"_a.none(),
             "rstd"_a.none(), nb::call_guard<WithoutGil>());
  module.def("embed_backward", backward, kCounted, "dy"_a, "mean"_a.none(), "rstd"_a.none(), "tables"_a,
             "options"_a, "gradients"_a, nb::call_guard<WithoutGil>());
}

}  // namespace locus::python
