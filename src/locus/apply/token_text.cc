#include "locus/apply/token_text.h"

#include <algorithm>

namespace locus {
namespace {

constexpr std::string_view kBroken = "\ufffd";  // an incomplete character is decoded as U+FFFD
constexpr size_t kMostTokens = 64;              // limit of re-decoding if all characters stay incomplete

}  // namespace

TokenText::TokenText(const Tokenizer& tokenizer, std::vector<int32_t> before)
    : tokenizer_(tokenizer), ids_(std::move(before)), whole_(ids_.size()), given_(text().size()) {}

std::string TokenText::fresh(bool finished) {
  const std::string all = text();
  const size_t open = !finished && all.ends_with(kBroken) ? kBroken.size() : 0;
  const size_t certain = std::max(given_, all.size() - open);
  const std::string fresh = all.substr(std::min(given_, all.size()), certain - given_);
  given_ = certain;
  if (open == 0 || ids_.size() - from_ > kMostTokens) {
    // Keep tokens without text, such as special tokens, in front of the next one: it must not seem to begin a
    // text.
    if (!text_from(whole_).empty()) from_ = whole_;
    whole_ = ids_.size();
    const size_t size = text().size();
    given_ = size - std::min(open, size);
  }
  return fresh;
}

std::string TokenText::add(int32_t token) {
  ids_.push_back(token);
  return fresh(false);
}

std::string TokenText::finish() { return fresh(true); }

}  // namespace locus
