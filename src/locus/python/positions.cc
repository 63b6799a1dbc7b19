// The position kernels on arrays: attention with any score terms, and the input embedding.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "locus/fast.h"
#include "locus/op/attention.h"
#include "locus/python/array.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

std::optional<Tensor> table_of(nb::dict terms, const char* name) {
  if (!terms.contains(name)) return std::nullopt;
  const nb::object value = terms[name];
  Array array;
  require(nb::try_cast(value, array), Code::bad_shape, "terms: {} is not an array in CPU memory", name);
  return tensor_of(array, name);
}

// Vectors [2 L - 1, D] or [2 L - 1, H, D], as terms of a scheme are given: a slot for every distance.
SlotTerm slots_of(const char* name, const Tensor& vectors) {
  const Shape& shape = vectors.shape();
  require((shape.rank() == 2 || shape.rank() == 3) && shape[0] % 2 == 1, Code::bad_shape,
          "terms: {} has shape {}, expected [2 length - 1, heads, head size] or [2 length - 1, head size]",
          name, shape);
  Tensor slots = Tensor::empty({shape[0]}, DType::i32);
  std::iota(slots.data<int32_t>().begin(), slots.data<int32_t>().end(), 0);
  const int64_t width = shape.rank() == 3 ? shape[1] * shape[2] : shape[1];
  return {.table = Var(vectors.reshape({shape[0], width})), .slots = slots, .zero = shape[0] / 2};
}

ScoreTerms terms_of(nb::dict given, int64_t heads) {
  ScoreTerms terms;
  if (const auto table = table_of(given, "by_distance")) {
    require(table->shape().rank() == 2 && table->size(1) % 2 == 1, Code::bad_shape,
            "terms: by_distance has shape {}, expected [{}, 2 length - 1]", table->shape(), heads);
    terms.by_distance = DistanceTerm{.table = Var(*table), .zero = table->size(1) / 2};
  }
  if (const auto table = table_of(given, "by_query")) terms.by_query = slots_of("by_query", *table);
  if (const auto table = table_of(given, "by_key")) terms.by_key = slots_of("by_key", *table);
  if (const auto table = table_of(given, "dense")) {
    require(table->shape().rank() >= 2, Code::bad_shape, "terms: dense has shape {}, expected [heads, ..]",
            table->shape());
    terms.dense =
        Var(table->reshape({table->size(0), table->numel() / std::max<int64_t>(table->size(0), 1)}));
  }
  if (given.contains("scale")) terms.scale = nb::cast<float>(given["scale"]);
  return terms;
}

// q [Nq, H * D], k and v [Nk, G * D], packed. Key lengths are those of the queries if they are empty.
nb::object attention(const Array& q, const Array& k, const Array& v, const Array& lengths,
                     nb::handle key_lengths, nb::dict terms, int64_t heads, int64_t key_heads, float scale,
                     bool causal, int64_t window, float cap) {
  const Tensor queries = tensor_of(q, "q"), keys = tensor_of(k, "k"), values = tensor_of(v, "v");
  const std::vector<int32_t> sizes = integers_of(lengths, "lengths");
  std::vector<int32_t> key_sizes = sizes;
  if (!key_lengths.is_none()) key_sizes = integers_of(nb::cast<Array>(key_lengths), "key_lengths");
  const ScoreTerms scores = terms_of(std::move(terms), heads);
  Tensor out;
  {
    const WithoutGil computing;
    const NoGrad no_grad;
    const auto placed = [](const std::vector<int32_t>& list) {
      return Placement::of_lengths(std::vector<int64_t>(list.begin(), list.end()));
    };
    const Placement placement =
        key_lengths.is_none() ? placed(sizes) : placed(sizes).cross_attention(placed(key_sizes));
    out = op::attention(Var(queries), Var(keys), Var(values), placement.sequences(), scores,
                        {.heads = heads,
                         .key_heads = key_heads,
                         .scale = scale,
                         .cap = cap,
                         .causal = causal,
                         .window = window})
              .value();
  }
  return array_of(out);
}

nb::object embed_norm(const Array& ids, const Array& tokens, nb::handle rows, nb::handle positions,
                      nb::handle gamma, nb::handle beta, float eps, bool rms) {
  const auto optional = [](nb::handle value, const char* name) {
    return value.is_none() ? Tensor() : tensor_of(nb::cast<Array>(value), name);
  };
  const std::vector<int32_t> list = integers_of(ids, "ids");
  const std::vector<int32_t> places =
      rows.is_none() ? std::vector<int32_t>() : integers_of(nb::cast<Array>(rows), "rows");
  const fast::EmbedTables tables = {.tokens = tensor_of(tokens, "tokens", DType::f32, true),
                                    .positions = optional(positions, "positions"),
                                    .gamma = optional(gamma, "gamma"),
                                    .beta = optional(beta, "beta"),
                                    .eps = eps,
                                    .rms = rms};
  Tensor out;
  {
    const WithoutGil computing;
    out = fast::embed_norm(tables, list, places);
  }
  return array_of(out);
}

}  // namespace

void bind_positions(nb::module_& module) {
  module.def("attention", attention, kCounted, "q"_a, "k"_a, "v"_a, "lengths"_a, "key_lengths"_a.none(),
             "terms"_a, "heads"_a, "key_heads"_a, "scale"_a, "causal"_a, "window"_a, "cap"_a);
  module.def("embed_norm", embed_norm, kCounted, "ids"_a, "tokens"_a, "rows"_a.none(), "positions"_a.none(),
             "gamma"_a.none(), "beta"_a.none(), "eps"_a, "rms"_a);
}

}  // namespace locus::python
