// The header of a safetensors file: a JSON object from tensor names to where their bytes lie. Parsing answers
// "what does it say", checking the layout "can it be true"; only a header that passed both is ever used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "locus/checkpoint/name_index.h"
#include "locus/checkpoint/stored_type.h"

namespace locus {

struct TensorEntry {
  std::string name;
  const StoredType* type = nullptr;
  std::vector<uint64_t> sizes;  // as the file has them: any rank, and a size of 2^64-1 beside a 0 is valid
  uint64_t begin = 0, end = 0;  // in bytes after the header
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the order of their bytes
  NameIndex by_name;
  std::map<std::string, std::string> metadata;
};

// `text` holds `length` bytes of header and behind them kHeaderPadding more that may be read but mean
// nothing.
inline constexpr size_t kHeaderPadding = 64;
// The tensors come in the order of the text; by_name is made by check_safetensors_layout().
SafetensorsHeader parse_safetensors_header(const char* text, size_t length, const std::string& file);

// Orders the tensors; their names must differ and their bytes fill the file's `data_bytes` behind the header
// without hole or overlap, each tensor as many as its shape and type say.
void check_safetensors_layout(SafetensorsHeader& header, uint64_t data_bytes, const std::string& file);

}  // namespace locus
