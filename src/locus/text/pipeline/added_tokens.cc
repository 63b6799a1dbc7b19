#include "locus/text/pipeline/added_tokens.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

bool is_blank(Character character) { return class_of(character) == CharacterClass::space; }

bool is_whole_word(std::string_view text, size_t begin, size_t end) {
  return (begin == 0 || !in_word(character_before(text, begin))) &&
         (end == text.size() || !in_word(character_at(text, end)));
}

}  // namespace

AddedToken read_added_token(const JsonPart& part) {
  const bool special = part.flag("special", false);
  AddedToken token = {.content = part.text("content"),
                      .special = special,
                      .normalized = part.flag("normalized", !special),
                      .left = part.flag("lstrip", false),
                      .right = part.flag("rstrip", false),
                      .single_word = part.flag("single_word", false)};
  require(!token.content.empty(), "{}: '{}.content' is empty, expected at least one byte",
          part.json().where(), part.place());
  return token;
}

std::vector<AddedToken> read_added_tokens(const JsonPart& tokenizer) {
  std::vector<AddedToken> tokens;
  if (!tokenizer.has("added_tokens")) return tokens;
  for (const JsonPart& part : tokenizer.parts("added_tokens")) {
    tokens.push_back(read_added_token(part));
    tokens.back().id = static_cast<int32_t>(part.integer("id", 0, (int64_t{1} << 31) - 2));
  }
  return tokens;
}

TextBudget budget_of(std::span<const AddedToken> tokens) {
  size_t size = 0;
  for (const AddedToken& token : tokens) size += token.content.size();
  return TextBudget(size);
}

AddedTokenFinder::AddedTokenFinder(std::span<const AddedToken> tokens, bool normalized,
                                   const Normalizer* normalizer) {
  TextBudget budget = budget_of(tokens);
  for (const AddedToken& token : tokens) {
    if (token.normalized != normalized) continue;
    AlignedText content(token.content, 0, token.content.size(), &budget);
    if (normalized && normalizer != nullptr) normalizer->apply(content);
    budget.finish(content.text().size());
    if (content.text().empty()) continue;  // the normalizer removed all of it
    trie_.add(content.text(), static_cast<int32_t>(tokens_.size()));
    first_[static_cast<unsigned char>(content.text()[0])] = true;
    tokens_.push_back(token);
  }
}

bool AddedTokenFinder::finds_nothing(Specials specials) const {
  return std::ranges::all_of(
      tokens_, [&](const AddedToken& token) { return token.special && specials == Specials::are_text; });
}

bool AddedTokenFinder::finds_nothing(std::string_view text, Specials specials) const {
  if (finds_nothing(specials)) return true;
  const std::vector<Part> parts = cut(text, specials);
  return parts.empty() || (parts.size() == 1 && parts[0].id < 0);
}

std::vector<AddedTokenFinder::Part> AddedTokenFinder::cut(std::string_view text, Specials specials,
                                                          const FromUser& from_user) const {
  const auto is_text = [&](size_t i, TokenTrie::Match match) {
    return match.length > 0 && tokens_[static_cast<size_t>(match.id)].special && from_user &&
           from_user(i, i + match.length);
  };
  std::vector<Part> parts;
  size_t done = 0, blanks_end = 0;  // the run of blanks that was read last, up to its end
  for (size_t i = 0; i < text.size() && !tokens_.empty();) {
    if (!first_[static_cast<unsigned char>(text[i])]) {
      ++i;
      continue;
    }
    TokenTrie::Match found = trie_.longest(text.substr(i));
    while (is_text(i, found))
      found = trie_.longest(text.substr(i, found.length - 1));  // a shorter one may fit
    if (found.length == 0) {
      ++i;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<size_t>(found.id)];
    size_t begin = i, end = i + found.length;
    i = end;
    if (token.special && specials == Specials::are_text) continue;
    if (token.single_word && !is_whole_word(text, begin, end)) continue;
    while (token.left && begin > done && is_blank(character_before(text, begin))) {
      begin -= character_before(text, begin).length;
    }
    if (token.right && end < blanks_end) {
      end = blanks_end;
    } else if (token.right) {
      while (end < text.size() && is_blank(character_at(text, end))) end += character_at(text, end).length;
      blanks_end = end;
    }
    // A token may begin with whitespace that the previous token included, unless it strips whitespace itself.
    if (token.left) begin = std::max(begin, done);
    if (begin > done) parts.push_back({done, begin, -1});
    if (begin < end) parts.push_back({begin, end, token.id});
    done = end;
  }
  if (done < text.size()) parts.push_back({done, text.size(), -1});
  return parts;
}

}  // namespace locus
