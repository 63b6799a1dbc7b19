#include "locus/nn/blueprint.h"

#include "locus/kernel/attention.h"
#include "locus/nn/blueprint_fields.h"

namespace locus {
namespace {

constexpr std::string_view kScheme = "scheme.", kFullScheme = "global_scheme.", kName = "name";

// Rules between fields; each field on its own is held to its limits when it is read.
void check_stack(const Blueprint& b, std::vector<std::string>& found) {
  const auto problem = [&]<class... Parts>(fmt::format_string<Parts...> text, Parts&&... parts) {
    found.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  };
  if (b.head_size == 0 && b.width % b.heads != 0) {
    problem("width is {}, no multiple of heads, {}; change one, or give head_size", b.width, b.heads);
  }
  if (b.size_of_head() > kernel::kMaxHeadSize) {
    problem("a head has {} numbers, expected at most {}", b.size_of_head(), kernel::kMaxHeadSize);
  }
  if (b.key_heads > 0 && b.heads % b.key_heads != 0) {
    problem("key_heads is {}, expected a divisor of heads, {}", b.key_heads, b.heads);
  }
  if (b.head_norms && b.joint_norms) {
    problem("head_norms and joint_norms are both set; expected one, or none");
  }
  if (b.fused_qkv && (b.query_bias != b.key_bias || b.key_bias != b.value_bias)) {
    problem("fused_qkv is set: query_bias, key_bias and value_bias must be all true or all false");
  }
}

void check_scheme(std::string_view name, const OptionValues& options, std::vector<std::string>& found) {
  try {
    const SchemeInfo& info = scheme_info(name);
    Options(info.name, info.options, options);
  } catch (const Error& error) {
    found.emplace_back(error.what());
  }
}

void check_global_scheme(const Blueprint& b, std::vector<std::string>& found) {
  if (b.global_scheme.empty()) {
    if (!b.full_scheme_options.empty()) found.emplace_back("global_scheme has options, but no name");
    return;
  }
  const size_t before = found.size();
  check_scheme(b.global_scheme, b.full_scheme_options, found);
  if (found.size() > before) return;
  if (b.global_every == 0) {
    found.push_back(
        fmt::format("global_scheme is {}, but no layer has it; expected global_every", b.global_scheme));
  }
  if (acts_on_input(scheme_info(b.global_scheme))) {
    found.push_back(fmt::format(
        "global_scheme is {}, which acts on the input of all layers; expected one that acts in attention",
        b.global_scheme));
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
  if (b.global_every > 0 && b.window == 0 && b.global_scheme.empty()) {
    problem("global_every is {}, but no layer differs from others; expected 0, a window, or a global_scheme",
            b.global_every);
  }
  if (b.global_first >= std::max<int64_t>(b.global_every, 1)) {
    problem("global_first is {}, expected less than global_every, {}", b.global_first, b.global_every);
  }
  if (!b.first_norm && (b.norm_place == NormPlace::after || b.norm_place == NormPlace::added)) {
    problem("first_norm is false, but norms stand after what they belong to; expected norm_place before");
  }
  if (!b.first_norm && b.shared_layers) {
    problem("first_norm is false, but the layers are shared; expected the norms of all in the first");
  }
  if (b.residual != Residual::sequential &&
      (b.norm_place != NormPlace::before || b.kind == ModelKind::encoder_decoder)) {
    problem("a parallel residual needs norm_place before and a single stack");
  }
  for (const float cap : {b.score_cap, b.logit_cap}) {
    if (cap > 0 && cap < 1e-6f) problem("a cap is {}, expected at least 1e-6, or 0 for none", cap);
  }
  if (b.logit_cap > 0 && b.head_bias && tells_tokens(b.head)) {
    problem("logit_cap is {}, but the logits have a bias; expected one of both", b.logit_cap);
  }
  if (b.padding_token >= b.vocabulary) {
    problem("padding_token is {}, expected less than vocabulary, {}", b.padding_token, b.vocabulary);
  }
  check_scheme(b.scheme, b.scheme_options, found);
  check_global_scheme(b, found);
  return found;
}

OptionValues values_of(const Blueprint& blueprint) {
  OptionValues values = field_values(blueprint);
  const auto add = [&](std::string_view prefix, const std::string& scheme, const OptionValues& options) {
    values.emplace(fmt::format("{}{}", prefix, kName), scheme);
    for (const auto& [name, value] : options) values.emplace(fmt::format("{}{}", prefix, name), value);
  };
  add(kScheme, blueprint.scheme, blueprint.scheme_options);
  if (!blueprint.global_scheme.empty())
    add(kFullScheme, blueprint.global_scheme, blueprint.full_scheme_options);
  return values;
}

Blueprint blueprint_of(std::string_view owner, const OptionValues& values) {
  Blueprint blueprint;
  OptionValues own;
  const auto take = [](std::string_view name, const std::string& value, std::string_view prefix,
                       std::string& scheme, OptionValues& options) {
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    if (name == kName) {
      scheme = value;
    } else {
      options.emplace(name, value);
    }
    return true;
  };
  for (const auto& [name, value] : values) {
    if (!take(name, value, kScheme, blueprint.scheme, blueprint.scheme_options) &&
        !take(name, value, kFullScheme, blueprint.global_scheme, blueprint.full_scheme_options)) {
      own.emplace(name, value);
    }
  }
  refuse(owner, read_fields(blueprint, own));
  refuse(owner, problems(blueprint));
  return blueprint;
}

}  // namespace locus
