#include "locus/checkpoint/forward_check.h"

#include <algorithm>
#include <cmath>

namespace locus {
namespace {

void check_rectangle(std::string_view name, const Tensor& tensor, const Tensor& ids) {
  require(!tensor || tensor.shape() == ids.shape(), Code::bad_shape,
          "{} has shape {}, expected the shape of input_ids, {}", name, tensor.shape(), ids.shape());
}

void check_ids(std::string_view name, const Tensor& ids, int64_t most, const std::vector<uint8_t>& real,
               Code code) {
  require(ids.shape().rank() == 2, Code::bad_shape, "{} has shape {}, expected [sequences, tokens]", name,
          ids.shape());
  const auto values = ids.data<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!real.empty() && real[i] == 0) continue;
    require(values[i] >= 0 && values[i] < most, code, "{}[{}, {}] is {}, expected 0 to {}", name,
            static_cast<int64_t>(i) / ids.size(1), static_cast<int64_t>(i) % ids.size(1), values[i],
            most - 1);
  }
}

std::vector<uint8_t> real_tokens(const Tensor& mask) {
  std::vector<uint8_t> real;
  if (!mask) return real;
  for (const float value : mask.values()) real.push_back(value != 0 ? 1 : 0);
  return real;
}

// Locus counts windows and distances in real tokens, transformers in columns. Both agree unless there is
// padding between real tokens.
void check_no_inner_padding(const std::vector<uint8_t>& real, int64_t columns, const char* why) {
  for (size_t begin = 0; begin < real.size(); begin += static_cast<size_t>(columns)) {
    const auto row = std::span(real).subspan(begin, static_cast<size_t>(columns));
    const auto first = std::ranges::find(row, 1), end = std::find(first, row.end(), 0);
    require(std::find(end, row.end(), 1) == row.end(),
            "attention_mask[{}] has 0 between real tokens, expected padding only at the ends: the model {}",
            begin / static_cast<size_t>(columns), why);
  }
}

void check_shapes(const Blueprint& b, const ForwardInputs& in) {
  check_rectangle("attention_mask", in.attention_mask, in.input_ids);
  check_rectangle("token_type_ids", in.token_type_ids, in.input_ids);
  check_rectangle("position_ids", in.position_ids, in.input_ids);
  const std::vector<uint8_t> real = real_tokens(in.attention_mask);
  check_ids("input_ids", in.input_ids, b.vocabulary, real, Code::bad_token);
  if (in.token_type_ids && b.embedding.segments > 0)
    check_ids("token_type_ids", in.token_type_ids, b.embedding.segments, real, Code::none);
  if (b.attention.window > 0) check_no_inner_padding(real, in.input_ids.size(1), "has a sliding window");
  if (uses_rows_and_distances(b))
    check_no_inner_padding(real, in.input_ids.size(1), "uses distances between tokens");
  const bool two = b.kind == ModelKind::encoder_decoder;
  require(two || !in.decoder_input_ids,
          "decoder_input_ids are given, but the model is not an encoder-decoder");
  require(!two || !in.position_ids, "position_ids are given, but an encoder-decoder does not accept them");
  if (!generates(b)) check_rectangle("decoder_input_ids", in.decoder_input_ids, in.input_ids);
}

void check_segments(const ForwardModel& model, const ForwardInputs& in) {
  if (!in.token_type_ids || !model.segments_are_tokens) return;
  fail({Fault::data, Code::none, "omit token_type_ids"},
       "token_type_ids are given, but the model has no segments, expected none: transformers would add the "
       "token embeddings of these ids to the input");
}

// In an encoder-decoder that finds padding by its id (M2M100), padding has no position in transformers: it is
// not counted, and its row is zero. Locus computes no padding, so padding may only be where nothing sees it.
void check_no_visible_padding(const ForwardModel& model, const ForwardInputs& in, const Tensor& decoder_ids) {
  if (!model.padding_by_id) return;
  const int32_t padding = model.model.blueprint().embedding.padding_token.value_or(-1);
  const std::vector<uint8_t> real = real_tokens(in.attention_mask);
  const auto source = in.input_ids.data<int32_t>(), target = decoder_ids.data<int32_t>();
  for (size_t i = 0; i < source.size(); ++i) {
    require(source[i] != padding || (!real.empty() && real[i] == 0),
            "input_ids[{}, {}] is {}, the padding token, expected 0 at its place in attention_mask",
            static_cast<int64_t>(i) / in.input_ids.size(1), static_cast<int64_t>(i) % in.input_ids.size(1),
            padding);
  }
  for (size_t i = 1; i < target.size(); ++i) {
    const int64_t column = static_cast<int64_t>(i) % decoder_ids.size(1);
    require(column == 0 || target[i - 1] != padding || target[i] == padding,
            "decoder_input_ids[{}, {}] is {} after the padding token {}, expected padding only at the end",
            static_cast<int64_t>(i) / decoder_ids.size(1), column, target[i], padding);
  }
}

template <class T>
void check_finite(std::string_view name, const Tensor& output) {
  const std::span<const T> values = output.data<T>();
  const auto bad = std::ranges::find_if_not(values, [](T value) { return std::isfinite(value); });
  if (bad == values.end()) return;
  fail(Fault::data,
       "the model computes NaN or infinity at index {} of {}, which has shape {}, expected finite numbers; "
       "its "
       "weights may be damaged",
       bad - values.begin(), name, output.shape());
}

}  // namespace

bool generates(const Blueprint& b) {
  return b.head.kind == HeadKind::none || b.head.kind == HeadKind::next_token;
}

bool uses_rows_and_distances(const Blueprint& b) { return !scheme_info(b.scheme).parts.empty(); }

void check_inputs(const ForwardModel& model, const ForwardInputs& in) {
  check_shapes(model.model.blueprint(), in);
  check_segments(model, in);
}

void check_one_sequence(const ForwardModel& model, const ForwardInputs& in) {
  if (!model.packs_by_position || !in.position_ids || in.attention_mask) return;
  const std::vector<float> ids = in.position_ids.values();
  const auto columns = static_cast<size_t>(in.position_ids.size(1));
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i % columns == 0 || ids[i] == ids[i - 1] + 1) continue;
    fail({Fault::data, Code::bad_position,
          "for one sequence, add an attention_mask of ones; for packed sequences, write each into its own "
          "row"},
         "position_ids[{}, {}] is {} after {}, but attention_mask is missing, expected positions that "
         "increase by one: transformers reads others as packed sequences",
         i / columns, i % columns, ids[i], ids[i - 1]);
  }
}

void check_decoder_ids(const ForwardModel& model, const ForwardInputs& in, const Tensor& decoder_ids) {
  check_ids("decoder_input_ids", decoder_ids, model.model.blueprint().vocabulary, {}, Code::bad_token);
  check_no_visible_padding(model, in, decoder_ids);
}

void check_finite(const std::vector<NamedTensor>& outputs) {
  for (const auto& [name, output] : outputs) {
    if (output.dtype() == DType::f64) {
      check_finite<double>(name, output);
    } else {
      check_finite<float>(name, output);
    }
  }
}

}  // namespace locus
