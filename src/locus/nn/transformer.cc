#include "locus/nn/transformer.h"

namespace locus {
namespace {

// Places of random numbers are below 2^24; each stack has one half of them.
constexpr uint64_t kDecoderPlaces = uint64_t{1} << 23;

Schemes schemes_of(const Blueprint& b, const ParameterFactory& factory) {
  const auto made = [&](const std::string& name, const OptionValues& options, const char* place,
                        Owner owner) {
    const Scope scope = (factory.scope() / place).owned_by(owner);
    return name.empty() ? nullptr : make_scheme(name, b.geometry(), options, scope, factory.random(place));
  };
  return {made(b.scheme, b.scheme_options, "scheme", Owner::scheme),
          made(b.global.scheme, b.global.scheme_options, "global_scheme", Owner::global_scheme)};
}

}  // namespace

Transformer::Transformer(const Blueprint& blueprint, const ParameterFactory& factory) {
  refuse("blueprint", problems(blueprint));
  const bool encodes = blueprint.kind != ModelKind::decoder, decodes = blueprint.kind != ModelKind::encoder;
  const bool both = encodes && decodes;
  const Blueprint first = both ? blueprint.encoder_part() : blueprint;
  const Blueprint second = both ? blueprint.decoder_part() : blueprint;
  Schemes encoder_schemes = encodes ? schemes_of(first, factory / "encoder") : Schemes();
  Schemes decoder_schemes = decodes ? schemes_of(second, factory / "decoder") : Schemes();
  const int64_t joined = (encodes ? encoder_schemes : decoder_schemes).own->joined_width();
  require(joined < blueprint.row_width(),
          "blueprint: the scheme concatenates {} columns, expected less than the embedding width, {}: set "
          "option width of the scheme",
          joined, blueprint.row_width());
  tokens_ = std::make_shared<TokenTable>();
  tokens_->rows = factory.owned_by(Owner::tokens)
                      .weight("tokens", {blueprint.vocabulary, blueprint.row_width() - joined}, Role::table);
  if (encodes) encoder_.emplace(first, factory / "encoder", std::move(encoder_schemes), tokens_, false, 0);
  if (decodes) {
    decoder_.emplace(second, factory / "decoder", std::move(decoder_schemes), tokens_, both, kDecoderPlaces);
  }
}

Var Transformer::operator()(const Tokens& tokens, const ForwardPass& pass) const {
  require(!encoder_ || !decoder_,
          "Transformer: an encoder-decoder needs two texts: call encode() and decode()");
  return encoder_ ? (*encoder_)(tokens, pass) : (*decoder_)(tokens, pass);
}

Memory Transformer::encode(const Tokens& text, const ForwardPass& pass) const {
  require(encoder_.has_value(), "Transformer::encode: the model has no encoder");
  ForwardPass whole = pass;  // the encoder reads the text in one pass, without a KV cache
  whole.cache = nullptr;
  return {(*encoder_)(text, whole), text.placement};
}

Var Transformer::decode(const Tokens& tokens, const Memory& memory, const ForwardPass& pass) const {
  require(encoder_ && decoder_, "Transformer::decode: the model is not an encoder-decoder");
  return (*decoder_)(tokens, pass, memory);
}

}  // namespace locus
