#include "locus/checkpoint/forward.h"

#include <algorithm>
#include <limits>

#include "locus/checkpoint/forward_check.h"
#include "locus/checkpoint/forward_loss.h"
#include "locus/kernel/loss.h"
#include "locus/nn/head.h"
#include "locus/nn/transformer.h"
#include "locus/op/gather.h"

namespace locus {
namespace {

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

Placement placement_of(const ForwardModel& model, const ForwardInputs& in) {
  const Blueprint& b = model.model.blueprint();
  const int64_t rows = scheme_info(b.scheme).extrapolates ? 0 : b.max_length + b.position_offset;
  if (in.position_ids || model.padding_by_id) {
    const Tensor ids = !in.position_ids ? counted_by_id(in.input_ids, b.embedding.padding_token.value_or(-1))
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

// The tokens from which a decoder classifies: the last non-padding token of each row, regardless of the mask.
std::vector<int32_t> last_tokens(const ForwardModel& model, const Tokens& tokens) {
  const auto starts = tokens.placement.sequences().query_starts.values();
  const auto ids = tokens.ids.values();
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
  return model.model.head()(op::gather(hidden, Indices::of(rows)),
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
  check_inputs(model, in);
  const Placement text = placement_of(model, in);
  check_one_sequence(model, in);
  Tokens tokens = {text.pack(in.input_ids), text, {}};
  // A model without segments ignores segment ids, like transformers. check_inputs() refuses them for the
  // families in which transformers does not.
  if (in.token_type_ids && b.embedding.segments > 0) tokens.segments = text.pack(in.token_type_ids);
  const Transformer& transformer = model.model.transformer();
  Placement placement = text;
  Var hidden;
  if (b.kind == ModelKind::encoder_decoder) {
    const Tensor ids = decoder_ids(model, in);
    check_decoder_ids(model, in, ids);
    placement = Placement::rectangle(ids.size(0), ids.size(1), b.policy());
    hidden = transformer.decode({placement.pack(ids), placement, {}}, transformer.encode(tokens));
  } else {
    hidden = transformer(tokens);
  }
  std::vector<NamedTensor> out = {{"last_hidden_state", placement.unpack(hidden.value().on_host())}};
  const bool by_last =
      model.without_padding && b.head.kind == HeadKind::sequence_class && b.head.pooling == Pooling::last;
  const Var logits = by_last ? last_logits(model, in, hidden, tokens) : model.model.head()(hidden, placement);
  const Tensor found = logits.value().on_host();
  if (b.head.kind == HeadKind::answer) {
    const Shape rows = {found.size(0)};
    out.emplace_back("start_logits", placement.unpack(found.columns(0, 1).clone().reshape(rows)));
    out.emplace_back("end_logits", placement.unpack(found.columns(1, 2).clone().reshape(rows)));
  } else if (b.head.kind == HeadKind::sequence_class) {
    out.emplace_back("logits", found);
  } else if (b.head.kind != HeadKind::none) {
    out.emplace_back("logits", placement.unpack(found));
  }
  const Var loss = forward_loss(b, in, logits, placement);
  require(loss || !gradients, "gradients need a loss, expected labels");
  if (loss) out.emplace_back("loss", loss.value().on_host().reshape({}));
  if (gradients) {
    model.model.parameters().clear_grads();
    loss.backward();
    add_gradients(model, out);
  }
  check_finite(out);
  return out;
}

}  // namespace locus
