#include "locus/text/tokenizer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/text/marked_text.h"
#include "locus/text/pipeline/aligned_text.h"

namespace locus {

Tokenizer::Tokenizer(int32_t size, SpecialTokens specials) : size_(size), specials_(std::move(specials)) {
  for (const auto& [name, id] : specials_.ids()) {
    require(id < size_, "special token {}: the id is {}, expected an id below {}, the vocabulary size",
            quote(name), id, size_);
  }
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, Specials specials) const {
  if (specials == Specials::are_tokens && !specials_.ids().empty()) return encode_outside(text, {});
  std::vector<int32_t> ids;
  append(text, ids);
  return ids;
}

std::vector<int32_t> Tokenizer::encode_marked(const MarkedText& text) const {
  return encode_outside(text.bytes(), text.user());
}

std::vector<int32_t> Tokenizer::encode_outside(std::string_view text, std::span<const TextSpan> user) const {
  std::vector<int32_t> ids;
  size_t begin = 0;  // of the ordinary text before the next special token
  for (size_t i = 0; i < text.size();) {
    TokenTrie::Match match = specials_.match(text, i);
    while (match.length > 0 && touches(user, i, i + match.length)) {  // a shorter name may fit
      match = specials_.match(text.substr(0, i + match.length - 1), i);
    }
    if (match.length == 0) {
      ++i;
      continue;
    }
    append(text.substr(begin, i - begin), ids);
    ids.push_back(match.id);
    begin = i += match.length;
  }
  append(text.substr(begin), ids);
  return ids;
}

Encoding Tokenizer::tokens_of(std::string_view text, Specials specials) const {
  Encoding encoding = {.ids = encode(text, specials)};
  encoding.resize(encoding.ids.size());
  size_t place = 0;
  for (size_t i = 0; i < encoding.size(); ++i) {
    const size_t end = place + bytes(encoding.ids[i]).size();
    encoding.offsets[i] = {static_cast<uint32_t>(place), static_cast<uint32_t>(end)};
    place = end;
  }
  // A token that is a part of a character gets the span of the whole character.
  for (TextSpan& span : encoding.offsets)
    span = AlignedText(text, 0, text.size()).source(span.begin, span.end);
  return encoding;
}

Encoding Tokenizer::frame(Encoding first, const Encoding* second, bool) const {
  for (size_t i = 0; second != nullptr && i < second->size(); ++i) {
    first.push(second->ids[i], second->offsets[i], 1, 1);
  }
  return first;
}

Encoding Tokenizer::encoding(std::string_view text, const EncodeOptions& options) const {
  Encoding tokens = measured(text, options);
  const size_t around = options.framed ? frame_size(false) : 0;
  tokens.resize(std::min(tokens.size(), options.longest - std::min(options.longest, around)));
  return frame(std::move(tokens), nullptr, options.framed);
}

Encoding Tokenizer::encoding(std::string_view first, std::string_view second,
                             const EncodeOptions& options) const {
  Encoding a = measured(first, options), b = measured(second, options);
  const size_t around = options.framed ? frame_size(true) : 0;
  truncate_pair(a, b, options.longest - std::min(options.longest, around));
  return frame(std::move(a), &b, options.framed);
}

Encoding Tokenizer::measured(std::string_view text, const EncodeOptions& options) const {
  require(text.size() < std::numeric_limits<uint32_t>::max(),
          "text too long: got {} bytes, expected less than 4 GiB; encode it in parts", text.size());
  if (options.unit == OffsetUnit::none) {
    Encoding tokens = {.ids = encode(text, options.specials)};
    tokens.resize(tokens.ids.size());
    return tokens;
  }
  Encoding tokens = tokens_of(text, options.specials);
  if (options.unit == OffsetUnit::code_points) count_in_code_points(text, tokens.offsets);
  return tokens;
}

std::string_view Tokenizer::bytes(int32_t id) const {
  require(id >= 0 && id < size_, Code::bad_token, "token id is {}, expected 0 to {}", id, size_ - 1);
  const std::string* name = specials_.name(id);
  return name == nullptr ? plain_bytes(id) : *name;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) text += bytes(id);
  return text;
}

std::string Tokenizer::decode_text(std::span<const int32_t> ids) const {
  std::vector<int32_t> plain;
  std::ranges::copy_if(ids, std::back_inserter(plain), [&](int32_t id) { return !has_no_text(id); });
  return decode(plain);
}

int32_t Tokenizer::special(std::string_view name) const {
  std::vector<std::string_view> names;
  std::string listed;
  for (const auto& [each, id] : specials_.ids()) {
    if (each == name) return id;
    names.push_back(each);
    (listed += listed.empty() ? "" : ", ") += quote(each).text();
  }
  fail({Fault::data, Code::bad_token}, "unknown special token {}{}, expected {}", quote(name),
       suggestion(name, names),
       listed.empty() ? "none: the vocabulary has no special tokens" : "one of " + listed);
}

}  // namespace locus
