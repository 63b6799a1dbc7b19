// attention_forward and attention_backward: the fused kernels on memory of the caller, for locus.torch.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cmath>
#include <cstring>
#include <tuple>

#include "locus/kernel/kernels.h"
#include "locus/python/attention_layout.h"
#include "locus/python/bindings.h"
#include "locus/python/caller_memory.h"
#include "locus/python/computing.h"
#include "locus/python/dense_term.h"
#include "locus/python/seed.h"
#include "locus/python/token_rows.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

// The batch (-1: packed), cu_seqlens or lengths of queries and of keys, the mask of the keys, and whether it
// is one of the queries, too.
using LayoutArgs = std::tuple<int64_t, OptionalArray, OptionalArray, OptionalArray, bool>;
// by_distance [H, S], by_query [slots, D] or [slots, H, D], its slots [S], by_key, its slots, dense, and the
// columns of distance 0 of the first three.
using TermArgs = std::tuple<OptionalArray, OptionalArray, OptionalArray, OptionalArray, OptionalArray,
                            OptionalArray, int64_t>;
// scale, cap, causal, window, dropout, and its seed, i64 [2]
using OptionArgs = std::tuple<double, double, bool, int64_t, double, OptionalArray>;

// A slot term of the caller, checked.
struct Slots {
  std::vector<int32_t> slots;
  kernel::SlotViews views;
};

// The checked arguments of a call, and everything that the views in `args` refer to.
class Call {
 public:
  Call(const Array& q, const Array& k, const Array& v, const LayoutArgs& layout, const TermArgs& terms,
       const OptionArgs& options)
      : q_(q), k_(k), layout_(layout_of(q, k, v, layout)) {
    const bool gathered = layout_.gathered();
    queries_.emplace(memory_.numbers(q, "q"), gathered, layout_.query_rows());
    keys_.emplace(memory_.numbers(k, "k"), gathered, layout_.key_rows());
    values_.emplace(memory_.numbers(v, "v"), gathered, layout_.key_rows());
    args.q = queries_->view(), args.k = keys_->view(), args.v = values_->view();
    args.sequences = layout_.views();
    args.longest = layout_.longest();
    args.heads = heads(q), args.key_heads = heads(k), args.head_size = static_cast<int64_t>(q.shape(2));
    set_options(options);
    set_terms(terms, std::get<0>(layout));
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void forward(const Output& out, const std::optional<Output>& lse) {
    memory_.shaped(out, "out", shape_of_array(q_, "q"));
    if (lse) memory_.shaped(*lse, "lse", {rows(q_), args.heads});
    const OutputRows results = output(out, "out"), sums = lse ? output(*lse, "lse") : none();
    args.out = results.view(), args.lse = sums.view();
    if (args.q.rows > 0) run();
    results.finish();
    sums.finish();
  }

  // Gradients of q, k, v, by_distance, by_query, by_key and dense; those that are not wanted are absent.
  using Gradients = std::array<std::optional<Output>, 7>;
  void backward(const Array& dout, const Array& out, const Array& lse, const TermArgs& terms,
                const Gradients& gradients) {
    memory_.shaped(dout, "dout", shape_of_array(q_, "q"));
    memory_.shaped(out, "out", shape_of_array(q_, "q"));
    memory_.shaped(lse, "lse", {rows(q_), args.heads});
    const InputRows given = input(dout, "dout"), results = input(out, "out"), sums = input(lse, "lse");
    args.out = writable(results.view()), args.lse = writable(sums.view());
    const OutputRows dq = gradient(gradients[0], q_, "dq", layout_.query_rows()),
                     dk = gradient(gradients[1], k_, "dk", layout_.key_rows()),
                     dv = gradient(gradients[2], k_, "dv", layout_.key_rows());
    const View dense = table_gradient(gradients[6], std::get<5>(terms), "ddense");
    kernel::AttentionBackwardArgs all = {
        .forward = args,
        .dout = given.view(),
        .dq = dq.view(),
        .dk = dk.view(),
        .dv = dv.view(),
        .dby_distance = table_gradient(gradients[3], std::get<0>(terms), "dby_distance"),
        .dby_query = table_gradient(gradients[4], std::get<1>(terms), "dby_query"),
        .dby_key = table_gradient(gradients[5], std::get<3>(terms), "dby_key"),
        .ddense = dense ? dense_.gradient(dense) : View(),
        .workspace = {}};
    const Kernels& device = kernels(memory_.device());
    const Tensor workspace = Tensor::empty({1, device.attention_backward_workspace(all)}, memory_.dtype());
    all.workspace = workspace.view();
    device.attention_backward(all);
    for (const OutputRows* rows : {&dq, &dk, &dv}) rows->finish();
    if (dense) dense_.add_up(layout_, dense);
  }

 private:
  static int64_t rows(const Array& array) { return static_cast<int64_t>(array.shape(0)); }
  static int64_t heads(const Array& array) { return static_cast<int64_t>(array.shape(1)); }
  static OutputRows none() { return {View(), false, {}}; }
  static View writable(ConstView view) {
    return {const_cast<std::byte*>(view.data), view.dtype, view.device, view.rows, view.cols, view.stride};
  }

  InputRows input(const Array& array, const char* name) {
    return {memory_.numbers(array, name), layout_.gathered(), layout_.query_rows()};
  }
  OutputRows output(const Output& array, const char* name) {
    return {memory_.output(array, name), layout_.gathered(), layout_.query_rows()};
  }
  OutputRows gradient(const std::optional<Output>& to, const Array& of, const char* name,
                      std::span<const int32_t> rows) {
    if (!to) return none();
    memory_.shaped(*to, name, shape_of_array(of, name));
    return {memory_.output(*to, name), layout_.gathered(), rows};
  }
  View table_gradient(const std::optional<Output>& to, const OptionalArray& of, const char* name) {
    if (!to) return {};
    require(of.has_value(), Code::bad_shape, "attention: {} is given without its table", name);
    memory_.shaped(*to, name, shape_of_array(*of, name));
    const View view = memory_.output(*to, name);
    require(view.contiguous(), Code::bad_shape, "attention: {} has gaps, expected a contiguous array", name);
    return view;
  }

  AttentionLayout layout_of(const Array& q, const Array& k, const Array& v, const LayoutArgs& given) {
    for (const auto& [array, name] : {std::pair(&q, "q"), std::pair(&k, "k"), std::pair(&v, "v")}) {
      require(array->ndim() == 3, Code::bad_shape,
              "attention: {} has shape {}, expected [tokens, heads, head size]", name,
              shape_of_array(*array, name));
    }
    const Shape shape = shape_of_array(k, "k");
    require(shape[1] > 0 && heads(q) % shape[1] == 0 && heads(q) > 0, Code::bad_shape,
            "attention: k has {} heads, expected a divisor of the {} heads of q", shape[1], heads(q));
    memory_.shaped(k, "k", {shape[0], shape[1], static_cast<int64_t>(q.shape(2))});
    memory_.shaped(v, "v", shape);
    require(q.shape(2) > 0 && q.shape(2) <= kernel::kMaxHeadSize, Code::bad_shape,
            "attention: head size is {}, expected 1 to {}", q.shape(2), kernel::kMaxHeadSize);
    const auto& [batch, query_bounds, key_bounds, mask, mask_queries] = given;
    const std::vector<int32_t> query_values = integers(query_bounds, "cu_seqlens or lengths"),
                               key_values = integers(key_bounds, "key_cu_seqlens or key_lengths");
    const auto bounds = [](const OptionalArray& array, const std::vector<int32_t>& values) {
      return array ? AttentionLayout::Bounds(values) : AttentionLayout::Bounds();
    };
    const AttentionLayout::Bounds own = bounds(query_bounds, query_values),
                                  all = bounds(key_bounds, key_values);
    if (batch < 0) {
      require(own.has_value() && !mask, Code::bad_shape,
              "attention: packed tokens need cu_seqlens and no mask");
      return AttentionLayout::packed(own, all, rows(q), rows(k));
    }
    require(batch == 0 ? rows(q) + rows(k) == 0 : rows(q) % batch == 0 && rows(k) % batch == 0,
            Code::bad_shape,
            "attention: got {} queries and {} keys, expected multiples of the {} rows of the batch", rows(q),
            rows(k), batch);
    const int64_t some = std::max<int64_t>(batch, 1), queries = rows(q) / some, keys = rows(k) / some;
    if (!mask) return AttentionLayout::padded(batch, queries, keys, own, all);
    const Shape sizes = shape_of_array(*mask, "mask");
    require(sizes.rank() == 2 && sizes[0] == batch, Code::bad_shape,
            "attention: the mask has shape {}, expected [{}, tokens]", sizes, batch);
    require(!own && !all, Code::bad_shape, "attention: got a mask and lengths, expected one of them");
    return AttentionLayout::masked(batch, queries, keys, memory_.booleans(*mask, "mask"), mask_queries);
  }
  std::vector<int32_t> integers(const OptionalArray& array, const char* name) const {
    return array ? memory_.integers(*array, name) : std::vector<int32_t>();
  }

  void set_options(const OptionArgs& options) {
    const auto& [scale, cap, causal, window, dropout, seed] = options;
    require(std::isfinite(scale), "attention: scale is {}, expected a finite number", scale);
    require(cap == 0 || (cap >= 1e-6 && cap <= 1e6),
            "attention: cap is {}, expected 1e-6 to 1e6, or 0 (no cap)", cap);
    require(window >= 0, "attention: window is {}, expected 0 or more (0: no window)", window);
    args.scale = static_cast<float>(scale), args.cap = static_cast<float>(cap);
    args.causal = causal, args.window = std::min(window, args.longest),
    args.dropout = dropout_of("attention", dropout, seed, args.seed, args.stream);
    if (causal || window > 0) layout_.check_aligned();
  }

  void set_terms(const TermArgs& terms, int64_t batch) {
    const auto& [by_distance, by_query, query_slots, by_key, key_slots, dense, zero] = terms;
    const auto range = layout_.distances();
    if (by_distance) {
      memory_.shaped(
          *by_distance, "by_distance",
          {args.heads, by_distance->ndim() == 2 ? static_cast<int64_t>(by_distance->shape(1)) : 0});
      const ConstView table = memory_.numbers(*by_distance, "by_distance");
      args.by_distance = {table, zero_of("by_distance", table.cols, zero, range)};
    }
    set_slots(by_query_, by_query, query_slots, "by_query", zero, range);
    set_slots(by_key_, by_key, key_slots, "by_key", zero, range);
    args.by_query = by_query_.views, args.by_key = by_key_.views;
    if (!dense) return;
    const int64_t rows_of_batch = std::max<int64_t>(batch, 1);
    dense_ = DenseTerm(memory_, *dense, layout_, args.heads, batch, rows(q_) / rows_of_batch,
                       rows(k_) / rows_of_batch);
    args.dense = dense_.view();
  }

  void set_slots(Slots& term, const OptionalArray& table, const OptionalArray& slots, const char* name,
                 int64_t zero, std::pair<int64_t, int64_t> range) {
    if (!table) return;
    require(slots.has_value(), Code::bad_shape, "attention: {} has no slots", name);
    const ConstView view = memory_.numbers(*table, name);
    require(table->ndim() >= 2 && (view.cols == args.head_size || view.cols == args.heads * args.head_size),
            Code::bad_shape, "attention: {} has shape {}, expected [slots, {}] or [slots, {}, {}]", name,
            shape_of_array(*table, name), args.head_size, args.heads, args.head_size);
    term.slots = memory_.integers(*slots, "slots");
    const auto count = std::ssize(term.slots);
    memory_.shaped(*slots, "slots", {count});
    memory_.ids(term.slots, "slots", view.rows, Code::bad_position);
    term.views = {view, id_view(term.slots), zero_of(name, count, zero, range)};
  }

  // The column of distance 0 in a table that covers the distances of the batch.
  static int64_t zero_of(const char* name, int64_t size, int64_t given, std::pair<int64_t, int64_t> range) {
    require(given >= 0 || size % 2 == 1, Code::bad_shape,
            "attention: {} covers {} distances, expected an odd number, or the column of distance 0", name,
            size);
    const int64_t zero = given >= 0 ? given : size / 2;
    require(zero < size && range.first + zero >= 0 && range.second + zero < size, Code::bad_position,
            "attention: {} covers distances {} to {}, expected at least {} to {}", name, -zero,
            size - 1 - zero, range.first, range.second);
    return zero;
  }

  void run() {
    const Kernels& device = kernels(memory_.device());
    const Tensor workspace = Tensor::empty({1, device.attention_workspace(args)}, memory_.dtype());
    args.workspace = workspace.view();
    device.attention(args);
  }

  CallerMemory memory_{"attention"};
  const Array &q_, &k_;
  AttentionLayout layout_;
  std::optional<InputRows> queries_, keys_, values_;
  Slots by_query_, by_key_;
  DenseTerm dense_;
  kernel::AttentionArgs args;
};

void forward(const Array& q, const Array& k, const Array& v, const LayoutArgs& layout, const TermArgs& terms,
             const OptionArgs& options, const Output& out, const std::optional<Output>& lse) {
  Call(q, k, v, layout, terms, options).forward(out, lse);
}

void backward(const Array& dout, const Array& out, const Array& lse, const Array& q, const Array& k,
              const Array& v, const LayoutArgs& layout, const TermArgs& terms, const OptionArgs& options,
              const Call::Gradients& gradients) {
  Call(q, k, v, layout, terms, options).backward(dout, out, lse, terms, gradients);
}

}  // namespace

void bind_attention(nb::module_& module) {
  using namespace nb::literals;
  module.def("attention_forward", forward, kCounted, "q"_a, "k"_a, "v"_a, "layout"_a, "terms"_a, "options"_a,
             "out"_a, "lse"_a.none(), nb::call_guard<WithoutGil>());
  module.def("attention_backward", backward, kCounted, "dout"_a, "out"_a, "lse"_a, "q"_a, "k"_a, "v"_a,
             "layout"_a, "terms"_a, "options"_a, "gradients"_a, nb::call_guard<WithoutGil>());
}

}  // namespace locus::python
