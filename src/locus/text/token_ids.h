// Parses and checks the token ids of vocabulary files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/base/json_document.h"

namespace locus {

int32_t token_id(const json::Document& json, std::string_view token, json::Value value);
[[noreturn]] void fail_duplicate(const json::Document& json, std::string_view token);

// Parses {"token": id, ...} and calls take(token, id) for each. Tokens must not be empty, ids are integers
// from 0 to 2^31 - 2. If take() returns false, the token is a duplicate, which is an error.
template <class F>
void each_token_id(const json::Document& json, json::Object object, F&& take) {
  for (const auto [token, value] : object) {
    if (!take(token, token_id(json, token, value))) fail_duplicate(json, token);
  }
}
std::unordered_map<std::string, int32_t> read_token_ids(const json::Document& json, json::Object object);

// Throws if an id is so much larger than the number of tokens that a table by id could exhaust memory. Gaps
// between ids are allowed: vocabularies on the Hugging Face Hub have some.
void check_table_id(const std::string& where, std::string_view token, int32_t id, size_t tokens);

// The length in bytes of every token's text, by id.
class TokenLengths {
 public:
  TokenLengths() = default;
  TokenLengths(std::string where, size_t tokens) : where_(std::move(where)), tokens_(tokens) {}
  void set(std::string_view token, int32_t id, size_t length);
  uint32_t operator[](int32_t id) const { return lengths_[id]; }

 private:
  std::string where_;
  size_t tokens_ = 0;
  std::vector<uint32_t> lengths_;
};

// Checks that the ids of `tokens` tokens are 0 to tokens - 1, each once, so that they can index rows.
class IdCheck {
 public:
  IdCheck(std::string where, size_t tokens) : where_(std::move(where)), taken_(tokens) {}
  // Throws for a duplicate id, and for one past the end, which implies a gap below.
  void take(int32_t id, std::string_view token);

 private:
  std::string where_;
  std::vector<bool> taken_;
};

}  // namespace locus
