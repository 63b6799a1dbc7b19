// Ids of tokens as files give them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/text/json_text.h"

namespace locus {

// {"token": id, ...}: every token once and not empty, every id a whole number from 0 to 2^31 - 2.
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
