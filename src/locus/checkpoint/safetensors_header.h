// The header of a safetensors file: a JSON object that maps tensor names to types, shapes and byte ranges.
// Parsing checks the syntax, and check_safetensors_layout() checks that the ranges are consistent. Only a
// header that passed both is used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "locus/checkpoint/name_index.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/checkpoint/stored_type.h"

namespace locus {

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the order of their bytes
  NameIndex by_name;
  std::map<std::string, std::string> metadata;
};

// The tensors are in the order of the text; check_safetensors_layout() fills by_name.
SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& file);

// Sorts the tensors and checks them: names must differ, each byte range must match its shape and type, and
// the ranges must cover the `data_bytes` after the header without hole or overlap.
void check_safetensors_layout(SafetensorsHeader& header, uint64_t data_bytes, const std::string& file);

}  // namespace locus
