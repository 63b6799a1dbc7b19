#include "locus/nn/blueprint.h"

#include "locus/nn/blueprint_fields.h"

namespace locus {
namespace {

constexpr std::string_view kSchemeName = "scheme.name", kSchemePrefix = "scheme.";

// Rules between fields; each field on its own is held to its limits when it is read.
void check_stack(const Blueprint& b, std::vector<std::string>& found) {
  const auto problem = [&]<class... Parts>(fmt::format_string<Parts...> text, Parts&&... parts) {
    found.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  };
  if (b.head_size == 0 && b.width % b.heads != 0) {
    problem("width is {}, no multiple of heads, {}; change one, or give head_size", b.width, b.heads);
  }
  if (b.key_heads > 0 && b.heads % b.key_heads != 0) {
    problem("key_heads is {}, expected a divisor of heads, {}", b.key_heads, b.heads);
  }
  if (b.fused_qkv && (b.query_bias != b.key_bias || b.key_bias != b.value_bias)) {
    problem("fused_qkv is set: query_bias, key_bias and value_bias must be all true or all false");
  }
}

void check_scheme(const Blueprint& b, std::vector<std::string>& found) {
  try {
    const SchemeInfo& info = scheme_info(b.scheme);
    Options(info.name, info.options, b.scheme_options);
  } catch (const Error& error) {
    found.emplace_back(error.what());
  }
}

}  // namespace

Geometry Blueprint::geometry() const {
  return {.width = width,
          .row_width = row_width(),
          .heads = heads,
          .head_size = size_of_head(),
          .layers = std::max<int64_t>(layers, 1),  // embeddings alone are a model, too
          .max_length = max_length + position_offset,
          .causal = kind == ModelKind::decoder};
}

Blueprint Blueprint::encoder_part() const {
  Blueprint part = *this;
  part.kind = ModelKind::encoder;
  return part;
}

Blueprint Blueprint::decoder_part() const {
  Blueprint part = *this;
  part.kind = ModelKind::decoder;
  part.segments = 0;
  if (decoder_layers > 0) part.layers = decoder_layers;
  if (decoder_heads > 0) part.heads = decoder_heads;
  if (decoder_hidden > 0) part.hidden = decoder_hidden;
  return part;
}

std::vector<std::string> problems(const Blueprint& b) {
  std::vector<std::string> found = read_fields(*std::make_unique<Blueprint>(), field_values(b));
  if (!found.empty()) return found;  // the rules below divide by fields
  const auto problem = [&]<class... Parts>(fmt::format_string<Parts...> text, Parts&&... parts) {
    found.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  };
  check_stack(b, found);
  if (b.kind == ModelKind::encoder_decoder) {
    check_stack(b.decoder_part(), found);
    if (b.head_size == 0 && b.decoder_heads > 0 && b.decoder_heads != b.heads) {
      problem("decoder_heads is {} and heads {}; give head_size when they differ", b.decoder_heads, b.heads);
    }
    if (b.head == HeadKind::masked_token || b.head == HeadKind::embedding) {
      problem("head is {}, which an encoder-decoder does not have",
              b.head == HeadKind::embedding ? "embedding" : "masked_token");
    }
  } else if (b.decoder_layers > 0 || b.decoder_heads > 0 || b.decoder_hidden > 0) {
    problem("decoder_layers, decoder_heads and decoder_hidden are for an encoder-decoder only");
  }
  if (b.kind == ModelKind::encoder && b.head == HeadKind::next_token) {
    problem("head is next_token, but an encoder sees the tokens that follow; use a decoder, or masked_token");
  }
  if (b.kind == ModelKind::encoder && b.window > 0)
    problem("window is {}, but an encoder has none", b.window);
  if (b.full_every > 0 && b.window == 0) {
    problem("full_every is {}, but there is no window; expected 0, or a window", b.full_every);
  }
  if (b.residual != Residual::sequential &&
      (b.norm_place == NormPlace::after || b.kind == ModelKind::encoder_decoder)) {
    problem("a parallel residual needs norm_place before and a single stack");
  }
  if (b.padding_token >= b.vocabulary) {
    problem("padding_token is {}, expected less than vocabulary, {}", b.padding_token, b.vocabulary);
  }
  check_scheme(b, found);
  return found;
}

OptionValues values_of(const Blueprint& blueprint) {
  OptionValues values = field_values(blueprint);
  values.emplace(kSchemeName, blueprint.scheme);
  for (const auto& [name, value] : blueprint.scheme_options) {
    values.emplace(std::string(kSchemePrefix) + name, value);
  }
  return values;
}

Blueprint blueprint_of(std::string_view owner, const OptionValues& values) {
  Blueprint blueprint;
  OptionValues own;
  for (const auto& [name, value] : values) {
    if (name == kSchemeName) {
      blueprint.scheme = value;
    } else if (name.starts_with(kSchemePrefix)) {
      blueprint.scheme_options.emplace(name.substr(kSchemePrefix.size()), value);
    } else {
      own.emplace(name, value);
    }
  }
  refuse(owner, read_fields(blueprint, own));
  refuse(owner, problems(blueprint));
  return blueprint;
}

}  // namespace locus
