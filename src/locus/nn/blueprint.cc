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
  if (b.head_size == 0 && b.width % b.heads != 0) {
    problem("width is {}, expected a multiple of heads = {}, or an explicit head_size", b.width, b.heads);
  }
  if (b.size_of_head() > kernel::kMaxHeadSize) {
    problem("head size is {}, expected at most {}", b.size_of_head(), kernel::kMaxHeadSize);
  }
  if (b.key_heads > 0 && b.heads % b.key_heads != 0) {
    problem("key_heads is {}, expected a divisor of heads = {}", b.key_heads, b.heads);
  }
  if (b.head_norms && b.joint_norms) {
    problem("head_norms and joint_norms are both true, expected at most one of them");
  }
  if (b.fused_qkv && (b.query_bias != b.key_bias || b.key_bias != b.value_bias)) {
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
  if (b.global_scheme.empty()) {
    if (!b.global_scheme_options.empty())
      found.emplace_back("global_scheme has options but no name, expected global_scheme.name");
    return;
  }
  const size_t before = found.size();
  check_scheme(b.global_scheme, b.global_scheme_options, found);
  if (found.size() > before) return;
  if (b.global_every == 0) {
    found.push_back(
        fmt::format("global_scheme is {}, but global_every is 0, expected at least 1", b.global_scheme));
  }
  if (acts_on_input(scheme_info(b.global_scheme))) {
    found.push_back(
        fmt::format("global_scheme is {}, which acts on the input of all layers, expected a scheme that acts "
                    "on attention",
                    b.global_scheme));
  }
}

}  // namespace

Geometry Blueprint::geometry() const {
  return {.width = width,
          .row_width = row_width(),
          .heads = heads,
          .head_size = size_of_head(),
          .layers = std::max<int64_t>(layers, 1),  // embeddings without layers are a valid model
          .max_length = max_length + position_offset,
          .causal = kind == ModelKind::decoder};
}

float Blueprint::initial_std() const {
  if (init_std > 0) return init_std;
  const double variance = predicts_tokens(head) ? 0.4 : 1;
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
  part.segments = 0;
  if (decoder_layers > 0) part.layers = decoder_layers;
  if (decoder_heads > 0) part.heads = decoder_heads;
  if (decoder_hidden > 0) part.hidden = decoder_hidden;
  return part;
}

std::vector<std::string> problems(const Blueprint& b) {
  std::vector<std::string> found = read_fields(*std::make_unique<Blueprint>(), field_values(b));
  if (!found.empty()) return found;  // the rules below divide by some fields
  const auto problem = [&]<class... Parts>(fmt::format_string<Parts...> text, Parts&&... parts) {
    found.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  };
  check_stack(b, found);
  if (b.kind == ModelKind::encoder_decoder) {
    check_stack(b.decoder_part(), found);
    if (b.head == HeadKind::masked_token || b.head == HeadKind::embedding) {
      problem("head is {}, which is not available for an encoder-decoder",
              b.head == HeadKind::embedding ? "embedding" : "masked_token");
    }
  } else if (b.decoder_layers > 0 || b.decoder_heads > 0 || b.decoder_hidden > 0) {
    problem(
        "decoder_layers, decoder_heads or decoder_hidden is set, expected 0: they apply to an "
        "encoder-decoder only");
  }
  if (b.kind == ModelKind::encoder && b.head == HeadKind::next_token) {
    problem("head is next_token, expected masked_token or kind decoder: an encoder sees the next tokens");
  }
  if (b.global_every > 0 && b.window == 0 && b.global_scheme.empty()) {
    problem("global_every is {}, expected 0: without a window or a global_scheme all layers are alike",
            b.global_every);
  }
  if (b.global_first >= std::max<int64_t>(b.global_every, 1)) {
    problem("global_first is {}, expected less than global_every = {}", b.global_first, b.global_every);
  }
  if (!b.first_norm && (b.norm_place == NormPlace::after || b.norm_place == NormPlace::added)) {
    problem("first_norm is false, expected true unless norm_place is before or around");
  }
  if (!b.first_norm && b.shared_layers) {
    problem("first_norm is false, expected true with shared_layers: the first layer holds the norms of all");
  }
  if (b.residual != Residual::sequential &&
      (b.norm_place != NormPlace::before || b.kind == ModelKind::encoder_decoder)) {
    problem(
        "residual is parallel, expected sequential unless norm_place is before and the model has a single "
        "stack");
  }
  for (const float cap : {b.score_cap, b.logit_cap}) {
    if (cap > 0 && cap < 1e-6f)
      problem("score_cap or logit_cap is {}, expected at least 1e-6, or 0 for none", cap);
  }
  if (b.logit_cap > 0 && b.head_bias && predicts_tokens(b.head)) {
    problem("logit_cap is {}, expected 0 if head_bias is true", b.logit_cap);
  }
  if (b.padding_token >= b.vocabulary) {
    problem("padding_token is {}, expected less than vocabulary = {}", b.padding_token, b.vocabulary);
  }
  check_scheme(b.scheme, b.scheme_options, found);
  check_global_scheme(b, found);
  return found;
}

Blueprint with_scheme_names(Blueprint blueprint) {
  for (std::string* const name : {&blueprint.scheme, &blueprint.global_scheme}) {
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
  if (!blueprint.global_scheme.empty())
    add(kGlobalScheme, blueprint.global_scheme, blueprint.global_scheme_options);
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
        !take(name, value, kGlobalScheme, blueprint.global_scheme, blueprint.global_scheme_options)) {
      own.emplace(name, value);
    }
  }
  refuse(owner, read_fields(blueprint, own));
  refuse(owner, problems(blueprint));
  return with_scheme_names(std::move(blueprint));
}

}  // namespace locus
