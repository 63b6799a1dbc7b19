#include "locus/apply/token_text.h"

namespace locus {
namespace {

constexpr size_t kLongestCharacter = 4;  // in bytes, and so in tokens
constexpr std::string_view kBroken = "\ufffd";

}  // namespace

TokenText::TokenText(const Tokenizer& tokenizer, std::vector<int32_t> before)
    : tokenizer_(tokenizer), ids_(std::move(before)), shown_(ids_.size()) {}

std::string TokenText::fresh(bool finished) {
  const std::span<const int32_t> ids(ids_);
  const std::string known = tokenizer_.decode_text(ids.subspan(from_, shown_ - from_));
  const std::string all = tokenizer_.decode_text(ids.subspan(from_));
  const bool waits = all.ends_with(kBroken) && ids_.size() - shown_ < kLongestCharacter;
  if (all.size() <= known.size() || (waits && !finished)) return "";
  from_ = shown_;
  shown_ = ids_.size();
  return all.substr(known.size());
}

std::string TokenText::add(int32_t token) {
  ids_.push_back(token);
  return fresh(false);
}

std::string TokenText::finish() { return fresh(true); }

}  // namespace locus
