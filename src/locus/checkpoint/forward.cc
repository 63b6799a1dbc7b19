#include "locus/checkpoint/forward.h"

#include <algorithm>
#include <limits>

#include "locus/checkpoint/forward_loss.h"
#include "locus/kernel/loss.h"
#include "locus/nn/head.h"
#include "locus/nn/transformer.h"
#include "locus/op/gather.h"

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

// Position ids that count from 0, plus the offset of the position table.
Tensor shifted(const Tensor& ids, int32_t offset) {
  Tensor result = ids.clone();
  if (ids.dtype() == DType::i32) {
    constexpr int32_t kMost = std::numeric_limits<int32_t>::max();  // past the end of any table: kept, so
                                                                    // that the error shows the caller's value
    for (int32_t& id : result.data<int32_t>()) id = id < 0 || id > kMost - offset ? id : id + offset;
  } else {
    for (float& id : result.data<float>()) id += static_cast<float>(offset);
  }
  return result;
}

// Positions that count the tokens other than padding, from padding + 1; the padding token has position
// `padding`.
Tensor counted_by_id(const Tensor& ids, int32_t padding) {
  const Tensor positions = ids.like(ids.shape());
  const auto from = ids.data<int32_t>(), to = positions.data<int32_t>();
  int32_t count = 0;
  for (int64_t i = 0; i < ids.numel(); ++i) {
    if (i % ids.size(1) == 0) count = 0;
    to[i] = padding + (from[i] == padding ? 0 : ++count);
  }
  return positions;
}

// Combinations such as learned+t5 (MPNet): table rows count real tokens, distances are between columns.
bool uses_rows_and_distances(const Blueprint& b) { return !scheme_info(b.scheme).parts.empty(); }

Placement placement_of(const ForwardModel& model, const ForwardInputs& in) {
  const Blueprint& b = model.model.blueprint();
  const int64_t rows = scheme_info(b.scheme).extrapolates ? 0 : b.max_length + b.position_offset;
  if (in.position_ids || model.padding_by_id) {
    const Tensor ids = !in.position_ids     ? counted_by_id(in.input_ids, b.padding_token)
                       : model.offset_added ? shifted(in.position_ids, b.position_offset)
                                            : in.position_ids;
    Placement placement = Placement::given(ids, in.attention_mask, rows);
    require(!uses_rows_and_distances(b) || placement.sequences().contiguous, Code::bad_position,
            "position_ids do not increase by one from token to token, which a model with distances requires; "
            "omit position_ids and mark padding with 0 in attention_mask");
    return placement;
  }
  if (in.attention_mask) return Placement::masked(in.attention_mask, b.policy());
  return Placement::rectangle(in.input_ids.size(0), in.input_ids.size(1), b.policy());
}

// Whether the decoder generates text. Otherwise it reads the same text as the encoder, to classify it.
bool generates(const Blueprint& b) { return b.head == HeadKind::none || b.head == HeadKind::next_token; }

// The decoder input for teacher forcing: the labels shifted right by one, after the start token or, for some
// families, after the last label. A decoder that classifies reads input_ids, shifted in the same way.
Tensor decoder_ids(const ForwardModel& model, const ForwardInputs& in) {
  if (in.decoder_input_ids) return in.decoder_input_ids;
  const Tensor& source = generates(model.model.blueprint()) ? in.labels : in.input_ids;
  require(static_cast<bool>(source), "decoder_input_ids are missing, expected decoder_input_ids or labels");
  require(source.shape().rank() == 2 && source.dtype() == DType::i32, Code::bad_shape,
          "labels have shape {}, expected whole numbers of shape [sequences, tokens]", source.shape());
  const int32_t pad = model.token("pad_token_id");
  const Tensor ids = source.like(source.shape());
  const int64_t columns = ids.size(1);
  for (int64_t row = 0; columns > 0 && row < ids.size(0); ++row) {
    const auto from = source.data<int32_t>().subspan(row * columns, columns);
    const auto to = ids.data<int32_t>().subspan(row * columns, columns);
    const auto label = [&](int64_t i) { return from[i] == kernel::kIgnoredTarget ? pad : from[i]; };
    if (model.last_label_starts) {
      const int64_t count =
          std::ranges::count_if(from, [&](int32_t id) { return id != kernel::kIgnoredTarget && id != pad; });
      to[0] = label(std::max<int64_t>(count - 1, 0));
    } else {
      to[0] = model.token("decoder_start_token_id");
    }
    for (int64_t i = 1; i < columns; ++i) to[i] = label(i - 1);
  }
  return ids;
}

void check(const Blueprint& b, const ForwardInputs& in) {
  check_rectangle("attention_mask", in.attention_mask, in.input_ids);
  check_rectangle("token_type_ids", in.token_type_ids, in.input_ids);
  check_rectangle("position_ids", in.position_ids, in.input_ids);
  const std::vector<uint8_t> real = real_tokens(in.attention_mask);
  check_ids("input_ids", in.input_ids, b.vocabulary, real, Code::bad_token);
  if (in.token_type_ids && b.segments > 0)
    check_ids("token_type_ids", in.token_type_ids, b.segments, real, Code::none);
  if (b.window > 0) check_no_inner_padding(real, in.input_ids.size(1), "has a sliding window");
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

// Without an attention mask, transformers reads position_ids that do not increase by one from token to token
// as packed sequences, whose tokens do not see each other. Locus has one sequence per row.
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
         "increase "
         "by one: transformers reads others as packed sequences",
         i / columns, i % columns, ids[i], ids[i - 1]);
  }
}

// In an encoder-decoder that finds padding by its id (M2M100), padding has no position in transformers: it is
// not counted, and its row is zero. Locus computes no padding, so padding may only be where nothing sees it.
void check_no_visible_padding(const ForwardModel& model, const ForwardInputs& in, const Tensor& decoder_ids) {
  if (!model.padding_by_id) return;
  const int32_t padding = model.model.blueprint().padding_token;
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

// The tokens from which a decoder classifies: the last non-padding token of each row, regardless of the mask.
std::vector<int32_t> last_tokens(const ForwardModel& model, const Tokens& tokens) {
  const auto starts = tokens.placement.sequences().query_starts.data<int32_t>();
  const auto ids = tokens.ids.data<int32_t>();
  std::vector<int32_t> rows;
  for (size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::span<const int32_t> text = ids.subspan(starts[s], starts[s + 1] - starts[s]);
    require(!text.empty(),
            "attention_mask[{}] has only zeros, expected at least one real token to classify from", s);
    const size_t length = model.without_padding(text);
    rows.push_back(starts[s] + static_cast<int32_t>(length) - 1);
  }
  return rows;
}

// The tokens from which an encoder-decoder classifies: the last end-of-sequence token of each row.
std::vector<int32_t> last_ends(int32_t end, const Tensor& ids) {
  const auto values = ids.data<int32_t>();
  const auto columns = static_cast<int32_t>(ids.size(1));
  std::vector<int32_t> rows;
  for (int32_t begin = 0; begin < ids.numel(); begin += columns) {
    int32_t row = begin + columns - 1;
    while (row >= begin && values[row] != end) --row;
    require(row >= begin,
            "input_ids[{}] does not contain {}, the eos_token_id, from which the model classifies",
            begin / columns, end);
    rows.push_back(row);
  }
  return rows;
}

Var last_logits(const ForwardModel& model, const ForwardInputs& in, const Var& hidden, const Tokens& tokens) {
  const bool two = model.model.blueprint().kind == ModelKind::encoder_decoder;
  const std::vector<int32_t> rows =
      two ? last_ends(model.token("eos_token_id"), in.input_ids) : last_tokens(model, tokens);
  const Tensor kept = Tensor::of({static_cast<int64_t>(rows.size())}, rows);
  return model.model.head()(op::gather(hidden, kept),
                            Placement::of_lengths(std::vector<int64_t>(rows.size(), 1)));
}

void add_gradients(const ForwardModel& model, std::vector<NamedTensor>& out) {
  for (const Binding& binding : model.bindings) {
    std::vector<Tensor> gradients;
    bool any = false;
    for (const Var& parameter : binding.parameters) {
      any = any || parameter.grad();
      gradients.push_back(parameter.grad() ? parameter.grad() : parameter.value().zeros_like());
    }
    if (any) out.emplace_back("grad." + binding.tensor, binding.assemble(gradients));
  }
}

}  // namespace

ForwardModel forward_model(ModelFolder& folder) {
  const Family& family = *folder.architecture.family;
  return {.model = folder.model,
          .bindings = folder.bindings,
          .token =
              [&folder](std::string_view field) {
                return token_of(folder.config, field, folder.architecture.blueprint.vocabulary);
              },
          .without_padding =
              [&folder](std::span<const int32_t> ids) {
                return without_padding(folder.config, folder.architecture.blueprint, ids);
              },
          .padding_by_id = family.padding_by_id,
          .offset_added = family.offset_added,
          .last_label_starts = family.last_label_starts,
          .segments_are_tokens = family.segments_are_tokens,
          .packs_by_position = family.packs_by_position && folder.config.flag("is_causal", true)};
}

std::vector<NamedTensor> forward(ModelFolder& folder, const ForwardInputs& in, bool gradients) {
  return forward(forward_model(folder), in, gradients);
}

std::vector<NamedTensor> forward(const ForwardModel& model, const ForwardInputs& in, bool gradients) {
  const Blueprint& b = model.model.blueprint();
  check(b, in);
  check_segments(model, in);
  const Placement text = placement_of(model, in);
  check_one_sequence(model, in);
  Tokens tokens = {text.pack(in.input_ids), text, {}};
  // A model without segments ignores segment ids, like transformers. check_segments() refuses them for the
  // families in which transformers does not.
  if (in.token_type_ids && b.segments > 0) tokens.segments = text.pack(in.token_type_ids);
  const Transformer& transformer = model.model.transformer();
  Placement placement = text;
  Var hidden;
  if (b.kind == ModelKind::encoder_decoder) {
    const Tensor ids = decoder_ids(model, in);
    check_ids("decoder_input_ids", ids, b.vocabulary, {}, Code::bad_token);
    check_no_visible_padding(model, in, ids);
    placement = Placement::rectangle(ids.size(0), ids.size(1), b.policy());
    hidden = transformer.decode({placement.pack(ids), placement, {}}, transformer.encode(tokens));
  } else {
    hidden = transformer(tokens);
  }
  std::vector<NamedTensor> out = {{"last_hidden_state", placement.unpack(hidden.value())}};
  const bool by_last =
      model.without_padding && b.head == HeadKind::sequence_class && b.pooling == Pooling::last;
  const Var logits = by_last ? last_logits(model, in, hidden, tokens) : model.model.head()(hidden, placement);
  if (b.head == HeadKind::answer) {
    out.emplace_back("start_logits",
                     placement.unpack(logits.value().columns(0, 1).clone().reshape({logits.shape()[0]})));
    out.emplace_back("end_logits",
                     placement.unpack(logits.value().columns(1, 2).clone().reshape({logits.shape()[0]})));
  } else if (b.head == HeadKind::sequence_class) {
    out.emplace_back("logits", logits.value());
  } else if (b.head != HeadKind::none) {
    out.emplace_back("logits", placement.unpack(logits.value()));
  }
  const Var loss = forward_loss(b, in, logits, placement);
  require(loss || !gradients, "gradients need a loss, expected labels");
  if (loss) out.emplace_back("loss", loss.value().reshape({}));
  if (gradients) {
    model.model.parameters().clear_grads();
    loss.backward();
    add_gradients(model, out);
  }
  return out;
}

}  // namespace locus
