#include "locus/checkpoint/forward.h"

#include <algorithm>

#include "locus/checkpoint/forward_loss.h"
#include "locus/kernel/loss.h"
#include "locus/op/gather.h"

namespace locus {
namespace {

void check_rectangle(std::string_view name, const Tensor& tensor, const Tensor& ids) {
  require(!tensor || tensor.shape() == ids.shape(), "{} has shape {}, expected that of input_ids, {}", name,
          tensor.shape(), ids.shape());
}

void check_ids(std::string_view name, const Tensor& ids, int64_t most, const std::vector<uint8_t>& real) {
  require(ids.shape().rank() == 2, "{} has shape {}, expected [sequences, tokens]", name, ids.shape());
  const auto values = ids.data<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!real.empty() && real[i] == 0) continue;
    require(values[i] >= 0 && values[i] < most, "{}[{}, {}] is {}, expected 0 to {}", name,
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

// Whether a window is counted, or a distance, in real tokens or in columns, as transformers does, is the same
// but where padding stands between.
void check_whole(const std::vector<uint8_t>& real, int64_t columns, const char* why) {
  for (size_t begin = 0; begin < real.size(); begin += static_cast<size_t>(columns)) {
    const auto row = std::span(real).subspan(begin, static_cast<size_t>(columns));
    const auto first = std::ranges::find(row, 1), end = std::find(first, row.end(), 0);
    require(std::find(end, row.end(), 1) == row.end(),
            "attention_mask[{}] has 0 between real tokens, but the model {}; expected padding at the ends",
            begin / static_cast<size_t>(columns), why);
  }
}

// Ids that count from 0, with the offset of the family's table on top.
Tensor shifted(const Tensor& ids, int32_t offset) {
  Tensor result = ids.clone();
  if (ids.dtype() == DType::i32) {
    for (int32_t& id : result.data<int32_t>()) id = id < 0 ? id : id + offset;
  } else {
    for (float& id : result.data<float>()) id += static_cast<float>(offset);
  }
  return result;
}

// The real tokens before each one that is not the padding token, which itself stands right before them all.
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

// MPNet: rows of the table are counted, distances are those between columns.
bool counts_and_measures(const Blueprint& b) { return !scheme_info(b.scheme).parts.empty(); }

Placement placement_of(const ModelFolder& folder, const ForwardInputs& in) {
  const Blueprint& b = folder.architecture.blueprint;
  const int64_t rows = scheme_info(b.scheme).extrapolates ? 0 : b.max_length + b.position_offset;
  if (in.position_ids || folder.architecture.family->padding_by_id) {
    const Tensor ids = !in.position_ids ? counted_by_id(in.input_ids, b.padding_token)
                       : folder.architecture.family->offset_added
                           ? shifted(in.position_ids, b.position_offset)
                           : in.position_ids;
    Placement placement = Placement::given(ids, in.attention_mask, rows);
    require(!counts_and_measures(b) || placement.sequences().steady,
            "positions do not rise by one from token to token, but the model measures distances as well: "
            "expected no position_ids, and attention_mask 0 for padding");
    return placement;
  }
  if (in.attention_mask) return Placement::masked(in.attention_mask, b.policy());
  return Placement::rectangle(in.input_ids.size(0), in.input_ids.size(1), b.policy());
}

// What a decoder reads while it learns to write the labels: these, one later, behind its start token.
Tensor decoder_ids(const ModelFolder& folder, const ForwardInputs& in) {
  if (in.decoder_input_ids) return in.decoder_input_ids;
  require(static_cast<bool>(in.labels),
          "decoder_input_ids are missing, and there are no labels to make them from");
  require(in.labels.shape().rank() == 2 && in.labels.dtype() == DType::i32,
          "labels have shape {}, expected whole numbers [sequences, tokens]", in.labels.shape());
  const Config& config = folder.config;
  const int64_t vocabulary = folder.architecture.blueprint.vocabulary;
  const auto pad = static_cast<int32_t>(config.integer("pad_token_id", 0, vocabulary - 1));
  const auto start = static_cast<int32_t>(config.integer("decoder_start_token_id", 0, vocabulary - 1));
  const Tensor ids = in.labels.like(in.labels.shape());
  const auto from = in.labels.data<int32_t>();
  const auto to = ids.data<int32_t>();
  const int64_t columns = ids.size(1);
  for (int64_t i = 0; i < ids.numel(); ++i) {
    to[i] = i % columns == 0 ? start : from[i - 1] == kernel::kIgnoredTarget ? pad : from[i - 1];
  }
  return ids;
}

void check(const ModelFolder& folder, const ForwardInputs& in) {
  const Blueprint& b = folder.architecture.blueprint;
  check_rectangle("attention_mask", in.attention_mask, in.input_ids);
  check_rectangle("token_type_ids", in.token_type_ids, in.input_ids);
  check_rectangle("position_ids", in.position_ids, in.input_ids);
  const std::vector<uint8_t> real = real_tokens(in.attention_mask);
  check_ids("input_ids", in.input_ids, b.vocabulary, real);
  if (in.token_type_ids && b.segments > 0) check_ids("token_type_ids", in.token_type_ids, b.segments, real);
  if (b.window > 0) check_whole(real, in.input_ids.size(1), "looks back through a window");
  if (counts_and_measures(b)) check_whole(real, in.input_ids.size(1), "measures distances");
  const bool two = b.kind == ModelKind::encoder_decoder;
  require(two || !in.decoder_input_ids,
          "decoder_input_ids are given, but the model has no decoder of its own");
  require(!two || !in.position_ids, "position_ids are given, but such models take none");
}

// The logits of labels by decoders, which read them off the last token that is not the padding token,
// whatever the mask says.
Var last_logits(const ModelFolder& folder, const Var& hidden, const Tokens& tokens) {
  const auto starts = tokens.placement.sequences().query_starts.data<int32_t>();
  const auto ids = tokens.ids.data<int32_t>();
  std::vector<int32_t> rows;
  std::vector<int64_t> lengths;
  for (size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::span<const int32_t> text = ids.subspan(starts[s], starts[s + 1] - starts[s]);
    const auto length =
        static_cast<int32_t>(without_padding(folder.config, folder.architecture.blueprint.vocabulary, text));
    for (int32_t row = starts[s]; row < starts[s] + length; ++row) rows.push_back(row);
    lengths.push_back(length);
  }
  const Tensor kept = Tensor::of({static_cast<int64_t>(rows.size())}, rows);
  return folder.model.head()(op::gather(hidden, kept), Placement::of_lengths(lengths));
}

void add_gradients(const ModelFolder& folder, std::vector<NamedTensor>& out) {
  for (const Binding& binding : folder.bindings) {
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

std::vector<NamedTensor> forward(ModelFolder& folder, const ForwardInputs& in, bool gradients) {
  check(folder, in);
  const Blueprint& b = folder.architecture.blueprint;
  const Placement text = placement_of(folder, in);
  Tokens tokens = {text.pack(in.input_ids), text, {}};
  // A model without segments ignores their ids, as transformers' does.
  if (in.token_type_ids && b.segments > 0) tokens.segments = text.pack(in.token_type_ids);
  const Transformer& transformer = folder.model.transformer();
  Placement placement = text;
  Var hidden;
  if (b.kind == ModelKind::encoder_decoder) {
    const Tensor ids = decoder_ids(folder, in);
    check_ids("decoder_input_ids", ids, b.vocabulary, {});
    placement = Placement::rectangle(ids.size(0), ids.size(1), b.policy());
    hidden = transformer.decode({placement.pack(ids), placement, {}}, transformer.encode(tokens));
  } else {
    hidden = transformer(tokens);
  }
  std::vector<NamedTensor> out = {{"last_hidden_state", placement.unpack(hidden.value())}};
  const bool by_last = b.head == HeadKind::sequence_class && b.pooling == Pooling::last;
  const Var logits = by_last ? last_logits(folder, hidden, tokens) : folder.model.head()(hidden, placement);
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
  require(loss || !gradients, "gradients need a loss, and a loss needs labels");
  if (loss) out.emplace_back("loss", loss.value().reshape({}));
  if (gradients) {
    folder.model.parameters().clear_grads();
    loss.backward();
    add_gradients(folder, out);
  }
  return out;
}

}  // namespace locus
