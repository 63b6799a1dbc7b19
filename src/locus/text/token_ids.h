// Ids of tokens as files give them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/text/json_text.h"

namespace locus {

int32_t token_id(const JsonText& json, std::string_view token, simdjson::dom::element value);
[[noreturn]] void refuse_second(const JsonText& json, std::string_view token);

// {"token": id, ...}: calls take(token, id) for each, a token that is not empty and a whole number from 0 to
// 2^31 - 2. Where that gives false, the token was there before, and is refused.
template <class F>
void each_token_id(const JsonText& json, simdjson::dom::object object, F&& take) {
  for (const auto& [token, value] : object) {
    if (!take(token, token_id(json, token, value))) refuse_second(json, token);
  }
}
std::unordered_map<std::string, int32_t> read_token_ids(const JsonText& json, simdjson::dom::object object);

// Refuses an id so far past the number of tokens that a table by id would take the machine's memory. Holes,
// which vocabularies of the hub have, are fine.
void check_table_id(const std::string& where, std::string_view token, int32_t id, size_t tokens);

// The bytes of text that every token stands for, by id.
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

// Checks that `tokens` ids are 0 to size - 1, each once: what a table of rows can be looked up with.
class IdCheck {
 public:
  IdCheck(std::string where, size_t tokens) : where_(std::move(where)), taken_(tokens) {}
  // Refuses an id that was given before, and one past the end, which leaves a hole below.
  void take(int32_t id, std::string_view token);

 private:
  std::string where_;
  std::vector<bool> taken_;
};

}  // namespace locus
