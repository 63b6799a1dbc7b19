#include "locus/text/tokenizer.h"

#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"

namespace locus {

Tokenizer::Tokenizer(int32_t size, SpecialTokens specials) : size_(size), specials_(std::move(specials)) {
  for (const auto& [name, id] : specials_.ids()) {
    require(id < size_, "special token {}: its id is {}, expected less than the vocabulary's size {}",
            quote(name), id, size_);
  }
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, Specials specials) const {
  std::vector<int32_t> ids;
  if (specials == Specials::are_text || specials_.ids().empty()) {
    append(text, ids);
    return ids;
  }
  size_t begin = 0;  // of the plain text before the next special token
  for (size_t i = 0; i < text.size();) {
    const SpecialTokens::Match match = specials_.match(text, i);
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

std::string_view Tokenizer::bytes(int32_t id) const {
  require(id >= 0 && id < size_, "token id is {}, expected 0 to {}", id, size_ - 1);
  const std::string* name = specials_.name(id);
  return name == nullptr ? plain_bytes(id) : *name;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) text += bytes(id);
  return text;
}

int32_t Tokenizer::special(std::string_view name) const {
  std::vector<std::string_view> names;
  std::string listed;
  for (const auto& [each, id] : specials_.ids()) {
    if (each == name) return id;
    names.push_back(each);
    (listed += listed.empty() ? "" : ", ") += quote(each);
  }
  fail(Fault::data, "the vocabulary has no special token {}{}; it has {}", quote(name),
       suggestion(name, names), listed.empty() ? "none" : listed);
}

}  // namespace locus
