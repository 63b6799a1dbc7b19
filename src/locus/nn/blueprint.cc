#include "locus/nn/blueprint.h"

#include "locus/kernel/attention.h"
#include "locus/nn/blueprint_fields.h"

namespace locus {
namespace {

constexpr std::string_view kScheme = "scheme.", kGlobalScheme = "global_scheme.", kName = "name";

// Rules between fields. The limits of single fields are checked when they are read.
void check_stack(const Blueprint& b, std::vector<std::string>& found) {
  const auto problem = [&]<class... Parts>(fmt::format_string<Parts...> text, Parts&&... parts) {
    found.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  };
  if (!b.attention.head_size && b.width % b.attention.heads != 0) {
    problem("width is {}, expected a multiple of heads = {}, or an explicit head_size", b.width,
            b.attention.heads);
  }
  if (b.size_of_head() > kernel::kMaxHeadSize) {
    problem("head size is {}, expected at most {}", b.size_of_head(), kernel::kMaxHeadSize);
  }
  if (b.attention.key_heads && b.attention.heads % *b.attention.key_heads != 0) {
    problem("key_heads is {}, expected a divisor of heads = {}", *b.attention.key_heads, b.attention.heads);
  }
  if (b.attention.head_norms && b.attention.joint_norms) {
    problem("head_norms and joint_norms are both true, expected at most one of them");
  }
  if (b.attention.fused_qkv &&
      (b.attention.query_bias != b.attention.key_bias || b.attention.key_bias != b.attention.value_bias)) {
    problem(
        "query_bias, key_bias and value_bias differ, expected the same value for all three with fused_qkv");
  }
}

void check_scheme(std::string_view name, const OptionValues& options, std::vector<std::string>& found) {
  try {
    const SchemeInfo& info = scheme_info(name);
    Options(info.name, info.options.list(), options);
  } catch (const Error& error) {
    found.emplace_back(error.what());
  }
}

void check_global_scheme(const Blueprint& b, std::vector<std::string>& found) {
  if (b.global.scheme.empty()) {
    if (!b.global.scheme_options.empty())
      found.emplace_back("global_scheme has options but no name, expected global_scheme.name");
    return;
  }
  const size_t before = found.size();
  check_scheme(b.global.scheme, b.global.scheme_options, found);
  if (found.size() > before) return;
  if (b.global.every == 0) {
    found.push_back(
        fmt::format("global_scheme is {}, but global_every is 0, expected at least 1", b.global.scheme));
  }
  if (acts_on_input(scheme_info(b.global.scheme))) {
    found.push_back(
        fmt::format("global_scheme is {}, which acts on the input of all layers, expected a scheme that acts "
                    "on attention",
                    b.global.scheme));
  }
}

}  // namespace

Geometry Blueprint::geometry() const {
  return {.width = width,
          .row_width = row_width(),
          .heads = attention.heads,
          .head_size = size_of_head(),
          .layers = std::max<int64_t>(layers, 1),  // embeddings without layers are a valid model
          .max_length = max_length + position_offset,
          .causal = kind == ModelKind::decoder};
}

float Blueprint::initial_std() const {
  if (init_std) return *init_std;
  const double variance = predicts_tokens(head.kind) ? 0.4 : 1;
  return static_cast<float>(std::sqrt(variance / static_cast<double>(width)));
}

Blueprint Blueprint::encoder_part() const {
  Blueprint part = *this;
  part.kind = ModelKind::encoder;
  return part;
}

Blueprint Blueprint::decoder_part() const {
  Blueprint part = *this;
  part.kind = ModelKind::decoder;
  part.embedding.segments = 0;
  part.layers = decoder.layers.value_or(layers);
  part.attention.heads = decoder.heads.value_or(attention.heads);
  if (decoder.hidden) part.feed_forward.hidden = decoder.hidden;
  return part;
}

std::vector<std::string> problems(const Blueprint& b) {
  Blueprint read = b;
  std::vector<std::string> found = read_fields(read, field_values(b));
  const auto problem = [&]<class... Parts>(fmt::format_string<Parts...> text, Parts&&... parts) {
    found.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  };
  if (found.empty() && read != b) {
    problem("an optional field is 0 (padding_token: -1), which is the text for not set, expected no value");
  }
  if (!found.empty()) return found;  // the rules below divide by some fields
  check_stack(b, found);
  if (b.kind == ModelKind::encoder_decoder) {
    check_stack(b.decoder_part(), found);
    if (b.head.kind == HeadKind::masked_token || b.head.kind == HeadKind::embedding) {
      problem("head is {}, which is not available for an encoder-decoder",
              b.head.kind == HeadKind::embedding ? "embedding" : "masked_token");
    }
  } else if (b.decoder != Blueprint::Decoder()) {
    problem(
        "decoder_layers, decoder_heads or decoder_hidden is set, expected 0: they apply to an "
        "encoder-decoder only");
  }
  if (b.kind == ModelKind::encoder && b.head.kind == HeadKind::next_token) {
    problem("head is next_token, expected masked_token or kind decoder: an encoder sees the next tokens");
  }
  if (b.global.every > 0 && b.attention.window == 0 && b.global.scheme.empty()) {
    problem("global_every is {}, expected 0: without a window or a global_scheme all layers are alike",
            b.global.every);
  }
  if (b.global.first >= std::max<int64_t>(b.global.every, 1)) {
    problem("global_first is {}, expected less than global_every = {}", b.global.first, b.global.every);
  }
  if (!b.norms.first && (b.norms.place == NormPlace::after || b.norms.place == NormPlace::added)) {
    problem("first_norm is false, expected true unless norm_place is before or around");
  }
  if (!b.norms.first && b.shared_layers) {
    problem("first_norm is false, expected true with shared_layers: the first layer holds the norms of all");
  }
  if (b.residual != Residual::sequential &&
      (b.norms.place != NormPlace::before || b.kind == ModelKind::encoder_decoder)) {
    problem(
        "residual is parallel, expected sequential unless norm_place is before and the model has a single "
        "stack");
  }
  for (const float cap : {b.attention.cap, b.head.cap}) {
    if (cap > 0 && cap < 1e-6f)
      problem("score_cap or logit_cap is {}, expected at least 1e-6, or 0 for none", cap);
  }
  if (b.head.cap > 0 && b.head.bias && predicts_tokens(b.head.kind)) {
    problem("logit_cap is {}, expected 0 if head_bias is true", b.head.cap);
  }
  if (b.embedding.padding_token && *b.embedding.padding_token >= b.vocabulary) {
    problem("padding_token is {}, expected less than vocabulary = {}", *b.embedding.padding_token,
            b.vocabulary);
  }
  check_scheme(b.scheme, b.scheme_options, found);
  check_global_scheme(b, found);
  return found;
}

Blueprint with_scheme_names(Blueprint blueprint) {
  for (std::string* const name : {&blueprint.scheme, &blueprint.global.scheme}) {
    if (name->empty()) continue;
    try {
      *name = scheme_info(*name).name;
    } catch (const Error&) {
      // problems() reports it together with the others.
    }
  }
  return blueprint;
}

OptionValues values_of(const Blueprint& blueprint) {
  OptionValues values = field_values(blueprint);
  const auto add = [&](std::string_view prefix, const std::string& scheme, const OptionValues& options) {
    values.emplace(fmt::format("{}{}", prefix, kName), scheme);
    for (const auto& [name, value] : options) values.emplace(fmt::format("{}{}", prefix, name), value);
  };
  add(kScheme, blueprint.scheme, blueprint.scheme_options);
  if (!blueprint.global.scheme.empty())
    add(kGlobalScheme, blueprint.global.scheme, blueprint.global.scheme_options);
  return values;
}

Blueprint blueprint_of(std::string_view owner, const OptionValues& values) {
  Blueprint blueprint;
  OptionValues own;
  const auto take = [](std::string_view name, const std::string& value, std::string_view prefix,
                       OptionValues& options) {
    if (!name.starts_with(prefix) || name == fmt::format("{}{}", prefix, kName)) return false;
    options.emplace(name.substr(prefix.size()), value);
    return true;
  };
  for (const auto& [name, value] : values) {
    if (!take(name, value, kScheme, blueprint.scheme_options) &&
        !take(name, value, kGlobalScheme, blueprint.global.scheme_options)) {
      own.emplace(name, value);
    }
  }
  FieldReader reader(own);
  blueprint.fields(reader);
  reader.text("scheme.name", blueprint.scheme, "");
  reader.text("global_scheme.name", blueprint.global.scheme, "");
  refuse(owner, reader.problems());
  refuse(owner, problems(blueprint));
  return with_scheme_names(std::move(blueprint));
}

}  // namespace locus
