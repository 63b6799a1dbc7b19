#include "locus/nn/transformer.h"

namespace locus {
namespace {

// Places of random numbers, below 2^24: each stack has a half of them.
constexpr uint64_t kDecoderPlaces = uint64_t{1} << 23;

std::unique_ptr<Scheme> scheme_of(const Blueprint& b, const Site& site) {
  return make_scheme(b.scheme, b.geometry(), b.scheme_options, site.scope() / "scheme",
                     site.random("scheme"));
}

}  // namespace

Transformer::Transformer(const Blueprint& blueprint, const Site& site) {
  refuse("blueprint", problems(blueprint));
  const bool encodes = blueprint.kind != ModelKind::decoder, decodes = blueprint.kind != ModelKind::encoder;
  const bool both = encodes && decodes;
  const Blueprint first = both ? blueprint.encoder_part() : blueprint;
  const Blueprint second = both ? blueprint.decoder_part() : blueprint;
  std::unique_ptr<Scheme> encoder_scheme = encodes ? scheme_of(first, site / "encoder") : nullptr;
  std::unique_ptr<Scheme> decoder_scheme = decodes ? scheme_of(second, site / "decoder") : nullptr;
  const int64_t joined = (encodes ? encoder_scheme : decoder_scheme)->joined_width();
  require(
      joined < blueprint.row_width(),
      "blueprint: the scheme joins {} columns on, expected less than the width, {}; give its option width",
      joined, blueprint.row_width());
  tokens_ = site.normal("tokens", {blueprint.vocabulary, blueprint.row_width() - joined});
  if (encodes) encoder_.emplace(first, site / "encoder", std::move(encoder_scheme), tokens_, false, 0);
  if (decodes) {
    decoder_.emplace(second, site / "decoder", std::move(decoder_scheme), tokens_, both, kDecoderPlaces);
  }
}

Var Transformer::operator()(const Tokens& tokens, const Pass& pass) const {
  require(!encoder_ || !decoder_, "an encoder-decoder takes two texts: encode the one, decode the other");
  return encoder_ ? (*encoder_)(tokens, pass) : (*decoder_)(tokens, pass);
}

Memory Transformer::encode(const Tokens& text, const Pass& pass) const {
  require(encoder_.has_value(), "a decoder alone has nothing to encode with");
  Pass whole = pass;  // the text is read at once: nothing to keep for later
  whole.cache = nullptr;
  return {(*encoder_)(text, whole), text.placement};
}

Var Transformer::decode(const Tokens& tokens, const Memory& memory, const Pass& pass) const {
  require(encoder_ && decoder_, "only an encoder-decoder decodes with a memory");
  return (*decoder_)(tokens, pass, memory);
}

}  // namespace locus
