#include "locus/text/token_ids.h"

#include <limits>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus {

int32_t token_id(const json::Document& json, std::string_view token, json::Value value) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() - 1;
  require(!token.empty(), "{}: got an empty token, expected at least one byte", json.where());
  const auto id = value.integer();
  if (!id || *id < 0 || *id > kMost) {
    json.refuse("the id of token " + quote(token).text(), value, "an integer from 0 to 2147483646");
  }
  return static_cast<int32_t>(*id);
}

void fail_duplicate(const json::Document& json, std::string_view token) {
  fail(Fault::data, "{}: duplicate token {}, expected each token once", json.where(), quote(token));
}

std::unordered_map<std::string, int32_t> read_token_ids(const json::Document& json, json::Object object) {
  std::unordered_map<std::string, int32_t> ids;
  ids.reserve(object.size());
  each_token_id(json, object,
                [&](std::string_view token, int32_t id) { return ids.emplace(token, id).second; });
  return ids;
}

void check_table_id(const std::string& where, std::string_view token, int32_t id, size_t tokens) {
  const size_t most = 16 * tokens + (1 << 16);
  if (static_cast<size_t>(id) < most) return;
  fail(Fault::data, "{}: token {} has id {}, expected an id below {} for a vocabulary of {} tokens", where,
       quote(token), id, most, tokens);
}

void TokenLengths::set(std::string_view token, int32_t id, size_t length) {
  check_table_id(where_, token, id, tokens_);
  if (lengths_.size() <= static_cast<size_t>(id)) lengths_.resize(static_cast<size_t>(id) + 1);
  lengths_[id] = static_cast<uint32_t>(length);
}

void IdCheck::take(int32_t id, std::string_view token) {
  const size_t size = taken_.size();
  require(id >= 0 && static_cast<size_t>(id) < size,
          "{}: token {} has id {}, but there are {} tokens: expected ids 0 to {} without gaps", where_,
          quote(token), id, size, size - 1);
  require(!taken_[id], "{}: duplicate id {} for token {}, expected a different id for each token", where_, id,
          quote(token));
  taken_[id] = true;
}

}  // namespace locus
